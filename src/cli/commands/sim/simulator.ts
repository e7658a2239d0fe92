import type { DecisionsInForce, Nodes } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { drawTable } from '../../output/table.ts'
import type { View } from '../../output/view.ts'
import { memberColumn } from './tables.ts'

/** What a simulator says about itself as a whole. */
export const commands = {
  nodes: () =>
    controlCommand(
      'sim nodes',
      command =>
        command
          .description(
            'Show the processes that serve one database, and how many merchants each of them holds.',
          )
          .addHelpText('after', examples('paysim sim nodes', 'paysim sim nodes --query holdings.data'))
          .action((flags: ControlFlags) =>
            withControl(flags, ({ control, show }) => show(control.nodes(), nodesView)),
          ),
      { account: false },
    ),

  metrics: () =>
    controlCommand(
      'sim metrics',
      command =>
        command
          .description('Print the metrics of a simulator in the text format of Prometheus.')
          .addHelpText(
            'after',
            examples('paysim sim metrics', 'paysim sim metrics | grep paysim_requests_total'),
          )
          .action((flags: ControlFlags) =>
            withControl(flags, async ({ control }) => {
              process.stdout.write(await control.metrics())
            }),
          ),
      { account: false, records: false },
    ),

  contract: () =>
    controlCommand(
      'sim contract',
      command =>
        command
          .description('Print the contract decisions in force at a running simulator.')
          .addHelpText(
            'after',
            examples('paysim sim contract', `paysim sim contract --query '["errors.body"].value'`),
          )
          .action((flags: ControlFlags) =>
            withControl(flags, ({ control, show }) => show(control.contract(), decisionsView)),
          ),
      { account: false },
    ),

  openapi: () =>
    controlCommand(
      'sim openapi',
      command =>
        command
          .description(
            'Print the merchant API as an OpenAPI 3.1 document, with the decisions in force at a running simulator.',
          )
          .addHelpText('after', examples('paysim sim openapi > merchant-api.json'))
          .action((flags: ControlFlags) =>
            withControl(flags, ({ control, show }) => show(control.openapi(), documentView)),
          ),
      { account: false },
    ),
}

const NODE_COLUMNS = [
  memberColumn('node', 'node', { paint: (shown, _, { paint }) => paint.bold(shown) }),
  memberColumn('address', 'address', { give: 1, least: 20 }),
  memberColumn('serving', 'serving'),
  memberColumn('merchants', 'merchants', { align: 'right' }),
  memberColumn('taken over', 'takeovers', { align: 'right', give: 2 }),
  memberColumn('released', 'moves', { align: 'right', give: 2 }),
  memberColumn('forwarded', 'forwarded', { align: 'right', give: 2 }),
  memberColumn('lag ms', 'lag_ms', { align: 'right', give: 3 }),
]

const nodesView: View<Nodes> = {
  human: ({ clustered, node, nodes }, screen) =>
    clustered
      ? drawTable(nodes, { columns: NODE_COLUMNS, empty: 'None.' }, screen)
      : `One process serves this store: ${node}.`,
  rows: ({ nodes }) => nodes,
}

const rows = (decisions: DecisionsInForce) =>
  Object.entries(decisions).map(([key, decision]) => ({ key, ...decision }))

const decisionsView: View<DecisionsInForce> = {
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

const documentView: View<Readonly<Record<string, unknown>>> = {
  human: document => JSON.stringify(document, null, 2),
}
