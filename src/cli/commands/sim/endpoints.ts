import type { EndpointRecord } from '../../../client/control-client.ts'
import type { EventChoice } from '../../../contract/event-names.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { commaSeparated } from '../../flag-values.ts'
import type { Column } from '../../output/columns.ts'
import { doneView } from '../../output/view.ts'
import { idColumn, listView, memberColumn, rowView, secretText } from './tables.ts'

interface RevealFlags extends ControlFlags {
  readonly reveal?: true
}

interface AddFlags extends RevealFlags {
  /** The simulator checks the names. */
  readonly events?: readonly EventChoice[]
}

interface RotateFlags extends RevealFlags {
  readonly overlap?: string
}

export const commands = {
  list: () =>
    controlCommand(
      'sim endpoints list',
      command =>
        command
          .description('List the webhook endpoints of an account. Secrets are hidden, except with -o json.')
          .option('--reveal', 'show signing secrets')
          .addHelpText('after', examples('paysim sim endpoints', 'paysim sim endpoints list --reveal'))
          .action((flags: RevealFlags) =>
            withControl(flags, ({ account, show }) =>
              show(account.webhookEndpoints.list(), endpointsView(flags.reveal)),
            ),
          ),
      { list: true },
    ),

  add: () =>
    controlCommand('sim endpoints add', command =>
      command
        .description('Register a webhook endpoint for an account.')
        .argument('<url>', 'URL on this machine, or on a host that `serve --allow-webhooks` allows')
        .option(
          '--events <names>',
          'events to send, separated by commas, or * for all (default: final events, such as payment.succeeded)',
          commaSeparated,
        )
        .option('--reveal', 'show the signing secret')
        .addHelpText(
          'after',
          examples(
            'paysim sim endpoints add http://127.0.0.1:4000/hooks --reveal',
            'paysim sim endpoints add http://127.0.0.1:4000/hooks --events payment.succeeded,payment.failed',
          ),
        )
        .action((url: string, { events, ...flags }: AddFlags) =>
          withControl(flags, ({ account, show }) =>
            show(
              account.webhookEndpoints.add({ url, ...(events ? { events } : {}) }),
              endpointView(flags.reveal),
            ),
          ),
        ),
    ),

  rotate: () =>
    controlCommand('sim endpoints rotate', command =>
      command
        .description(
          'Give a webhook endpoint a new secret. Events are signed with both until the overlap ends.',
        )
        .argument('<id>', 'id of the endpoint, such as we_123')
        .option('--overlap <duration>', 'how long to sign with the old secret too (default: 24h)')
        .option('--reveal', 'show the signing secret')
        .addHelpText(
          'after',
          examples(
            'paysim sim endpoints rotate we_123 --reveal',
            'paysim sim endpoints rotate we_123 --overlap 1h',
          ),
        )
        .action((id: string, flags: RotateFlags) =>
          withControl(flags, ({ account, show }) =>
            show(account.webhookEndpoints.rotateSecret(id, flags.overlap), endpointView(flags.reveal)),
          ),
        ),
    ),

  remove: () =>
    controlCommand('sim endpoints remove', command =>
      command
        .description('Remove a webhook endpoint. Its pending deliveries are given up.')
        .argument('<id>', 'id of the endpoint, such as we_123')
        .addHelpText('after', examples('paysim sim endpoints remove we_123'))
        .action((id: string, flags: ControlFlags) =>
          withControl(flags, ({ account, show }) =>
            show(account.webhookEndpoints.remove(id), doneView(`${id} removed`)),
          ),
        ),
    ),
}

const columns = (reveal = false): Column[] => [
  idColumn(),
  memberColumn('url', 'url', { give: 1, least: 20 }),
  {
    header: 'events',
    value: row => (row as EndpointRecord).events?.join(', ') ?? 'final events',
    give: 2,
    least: 14,
  },
  {
    header: 'secret',
    value: row => secretText((row as EndpointRecord).secret, reveal),
    give: reveal ? 0 : 3,
  },
  {
    header: 'state',
    value: row => ((row as EndpointRecord).disabled ? 'disabled' : 'active'),
    paint: (shown, row, { paint }) =>
      (row as EndpointRecord).disabled ? paint.red(shown) : paint.green(shown),
  },
]

const endpointsView = (reveal?: boolean) => listView<EndpointRecord>('No webhook endpoints.', columns(reveal))
const endpointView = (reveal?: boolean) => rowView<EndpointRecord>(columns(reveal))
