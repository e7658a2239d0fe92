import type {
  Catalogue,
  CatalogueMethod,
  CatalogueProvider,
  CatalogueRoute,
} from '../../../../client/control-client.ts'
import type { Column } from '../../../output/columns.ts'
import { formatMoney } from '../../../output/money.ts'
import type { Screen } from '../../../output/screen.ts'
import { drawTable } from '../../../output/table.ts'
import type { View } from '../../../output/view.ts'
import { idColumn, memberColumn } from './columns.ts'
import { modesOf } from './modes.ts'

export const catalogueView: View<Catalogue> = {
  human: ({ providers, methods, routes }, screen) =>
    [
      part('Providers', providers, PROVIDERS, screen),
      part('Methods', methods, METHODS, screen),
      part('Routes, tried from the top', routes, ROUTES, screen),
    ].join('\n\n'),
}

export const providerView: View<CatalogueProvider> = {
  human: (provider, screen) => drawTable([provider], { columns: PROVIDERS, empty: '' }, screen),
}

function part(title: string, rows: readonly unknown[], columns: readonly Column[], screen: Screen): string {
  return `${screen.paint.bold(title)}\n${drawTable(rows, { columns, empty: 'None.' }, screen)}`
}

const isUp = (row: unknown) => (row as CatalogueProvider).healthy !== false

const PROVIDERS: readonly Column[] = [
  idColumn('provider'),
  {
    header: 'health',
    value: row => (isUp(row) ? 'up' : 'down'),
    paint: (shown, row, { paint }) => (isUp(row) ? paint.green(shown) : paint.red(shown)),
  },
]

const METHODS: readonly Column[] = [
  idColumn('method', 'code'),
  memberColumn('label', 'label', { give: 1 }),
  memberColumn('category', 'category', { give: 2 }),
  { header: 'banks', value: row => banksOf(row as CatalogueMethod), give: 3, least: 12 },
]

const banksOf = ({ banks = [] }: CatalogueMethod) => banks.map(({ code }) => code).join(', ')

const ROUTES: readonly Column[] = [
  idColumn('route'),
  memberColumn('provider', 'provider', { give: 6, least: 10 }),
  memberColumn('method', 'method', { give: 1, least: 12 }),
  { header: 'where', value: row => whereOf(row as CatalogueRoute), give: 2 },
  { header: 'amounts', value: row => amountsOf(row as CatalogueRoute), align: 'right', give: 2, least: 20 },
  { header: 'modes', value: row => modesOf((row as CatalogueRoute).checkout_modes), give: 6 },
  { header: 'action', value: row => actionOf(row as CatalogueRoute), give: 4, least: 12 },
  memberColumn('receipt', 'receipt', { give: 7 }),
]

const whereOf = ({ country, currency }: CatalogueRoute) => `${country} ${currency}`

function amountsOf({ min_amount: least, max_amount: most, currency }: CatalogueRoute): string {
  const bare = (amount: string) => formatMoney(amount, currency).replace(` ${currency}`, '')
  if (least === undefined && most === undefined) return 'any'
  return `${least === undefined ? '' : bare(least)} … ${most === undefined ? '' : bare(most)}`.trim()
}

function actionOf({ action, action_after: after }: CatalogueRoute): string {
  const short = action.replace(/^(?:display|redirect_to)_/, '').replaceAll('_', ' ')
  return after === undefined ? short : `${short}, after ${after}`
}
