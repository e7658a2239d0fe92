import type { DeliveryRecord } from '../../../../client/control-client.ts'
import { drawRecord, type Field, sections, titleOf } from '../../../output/record.ts'
import type { Screen } from '../../../output/screen.ts'
import { paintStatus } from '../../../output/status.ts'
import { visible } from '../../../output/text.ts'
import { showTime } from '../../../output/time.ts'
import type { View } from '../../../output/view.ts'
import { lastAnswer } from './records.ts'

/** A delivery with each of its attempts: what was sent, and what the receiver made of it. */
export const deliveryView: View<DeliveryRecord> = {
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

type Attempt = DeliveryRecord['attempts'][number]

function attemptText(attempt: Attempt, screen: Screen): string {
  const { number, request, response, started_at: startedAt } = attempt
  const { paint } = screen
  const outcome = response ? lastAnswer({ attempts: [attempt] }) : 'under way'
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

/** Without how long ago: the account's time may be far from the wall's. */
const timeOf = (label: string, at: string | null, screen: Screen): Field => ({
  label,
  value: at === null ? undefined : showTime(at, screen).value,
})
