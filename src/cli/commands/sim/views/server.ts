import { drawTable } from '../../../output/table.ts'
import type { View } from '../../../output/view.ts'
import { memberColumn } from './columns.ts'

type Decisions = Readonly<Record<string, { readonly value: string; readonly kind: 'switch' | 'constant' }>>

const rows = (decisions: Decisions) =>
  Object.entries(decisions).map(([key, decision]) => ({ key, ...decision }))

export const decisionsView: View<Decisions> = {
  human: (decisions, screen) =>
    drawTable(
      rows(decisions),
      {
        columns: [
          memberColumn('decision', 'key', { paint: (shown, _, { paint }) => paint.bold(shown) }),
          memberColumn('kind', 'kind', { give: 2 }),
          memberColumn('in force', 'value', { give: 1, least: 20 }),
        ],
        empty: 'None.',
      },
      screen,
    ),
  rows,
}

/** A document for other tools, as it is read best by people too. */
export const documentView: View<Readonly<Record<string, unknown>>> = {
  human: document => JSON.stringify(document, null, 2),
}
