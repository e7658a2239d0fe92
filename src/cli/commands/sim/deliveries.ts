import type { DeliveryRecord } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { NotFoundError } from '../../errors/cli-errors.ts'
import { plain } from '../../output/members.ts'
import { drawRecord, type Field, sections, titleOf } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import { paintStatus } from '../../output/status.ts'
import { visible } from '../../output/text.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { idColumn, listView, memberColumn, statusColumn, timeColumn } from './tables.ts'

export const commands = {
  list: () =>
    controlCommand(
      'sim deliveries list',
      command =>
        command
          .description('List the deliveries of events to webhook endpoints, oldest first.')
          .addHelpText(
            'after',
            examples('paysim sim deliveries', 'paysim sim deliveries list -o jsonl | grep failed'),
          )
          .action((flags: ControlFlags) =>
            withControl(flags, ({ account, show }) => show(account.deliveries(), deliveriesView)),
          ),
      { list: true },
    ),

  show: () =>
    controlCommand(
      'sim deliveries show',
      command =>
        command
          .description('Show a delivery with every attempt: the request and the answer.')
          .argument('<id>', 'id of the delivery, or of its event')
          .addHelpText(
            'after',
            examples(
              'paysim sim deliveries show dlv_123',
              'paysim sim deliveries show dlv_123 --query "attempts[-1].request.body"',
            ),
          )
          .action((id: string, flags: ControlFlags) =>
            withControl(flags, async ({ account, printer }) => {
              const all = await account.deliveries()
              const body =
                all.find(delivery => delivery.id === id) ?? all.findLast(({ event }) => event === id)
              if (!body)
                throw new NotFoundError(
                  `${account.id} has no delivery ${id}: \`paysim sim deliveries\` lists them`,
                )
              await printer.show({ body }, deliveryView)
            }),
          ),
      { headers: false },
    ),

  redeliver: () =>
    controlCommand('sim deliveries redeliver', command =>
      command
        .description(
          'Attempt a delivery now. Success ends its retries; after a failure, the remaining retries follow.',
        )
        .argument('<id>', 'id of the delivery')
        .addHelpText('after', examples('paysim sim deliveries redeliver dlv_123'))
        .action((id: string, flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.redeliver(id), deliveryView)),
        ),
    ),
}

const deliveriesView = listView<DeliveryRecord>(
  'No deliveries yet.',
  [
    idColumn(),
    memberColumn('event', 'event_type'),
    statusColumn('status', 'status'),
    {
      header: 'attempts',
      value: row => String((row as DeliveryRecord).attempts.length),
      align: 'right',
      give: 3,
    },
    { header: 'last answer', value: row => lastAnswer(row as DeliveryRecord), give: 1, least: 12 },
    timeColumn('next attempt', 'next_attempt_at', { give: 2 }),
    memberColumn('to', 'url', { give: 4, least: 16 }),
  ],
  ['id', 'event', 'event_type', 'endpoint', 'url', 'status', 'created_at', 'next_attempt_at'],
)

function lastAnswer({ attempts }: Pick<DeliveryRecord, 'attempts'>): string {
  const response = attempts.at(-1)?.response
  return response ? plain(response.status ?? response.error) : ''
}

const deliveryView: View<DeliveryRecord> = {
  human: (delivery, screen) =>
    sections(
      `${titleOf(delivery, screen)}\n${drawRecord(
        [
          { label: 'event', value: `${delivery.event_type ?? 'gone'} ${delivery.event}` },
          { label: 'to', value: delivery.url, whole: true },
          { label: 'endpoint', value: delivery.endpoint },
          timeOf('queued', delivery.created_at, screen),
          timeOf('next attempt', delivery.next_attempt_at, screen),
        ],
        screen,
      )}`,
      ...delivery.attempts.map(attempt => attemptText(attempt, screen)),
    ),
}

function attemptText(attempt: DeliveryRecord['attempts'][number], screen: Screen): string {
  const { number, request, response, started_at: startedAt } = attempt
  const { paint } = screen
  const outcome = response ? lastAnswer({ attempts: [attempt] }) : 'in progress'
  const delivered = response?.status !== null && response !== null && response.status < 300
  const status = paintStatus(
    response ? (delivered ? 'succeeded' : 'failed') : 'processing',
    paint,
    visible(outcome),
  )
  const fields: Field[] = [
    timeOf('sent', startedAt, screen),
    ...Object.entries(request?.headers ?? {}).map(([label, value]) => ({ label, value, whole: true })),
    { label: 'body', value: request?.body, whole: true },
    { label: 'answer', value: response?.body === '' ? undefined : response?.body },
  ]
  return `${paint.bold(`attempt ${number}`)}  ${status}\n${drawRecord(fields, screen)}`
}

/** Without "3 minutes ago", since the account's time may be far from wall time. */
const timeOf = (label: string, at: string | null, screen: Screen): Field => ({
  label,
  value: at === null ? undefined : showTime(at, screen).value,
})
