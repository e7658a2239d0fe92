import type { Why } from '../../contract/control/timeline.ts'
import type { Cause } from './answer.ts'

/** What became of the webhooks of a record: its end is not the end of the story if the shop has not heard of it. */

/** A webhook, and why its delivery is as it is. */
export interface Webhook {
  readonly event: string
  readonly why: Pick<Why, 'id' | 'status' | 'sentence'>
}

const isHeard = ({ why }: Webhook) => why.status === 'delivered'

/** What the shop has not heard, of the newest webhook. */
export function unheard(webhooks: readonly Webhook[]): string[] {
  const last = webhooks.at(-1)
  return last && !isHeard(last)
    ? [`The shop has not heard of ${last.event}: ${within(last.why.sentence)}`]
    : []
}

export const webhookCauses = (webhooks: readonly Webhook[]): Cause[] =>
  webhooks.map(({ event, why }) => ({
    what: `its webhook ${event}: ${within(why.sentence).replace(/\.$/, '')}`,
    id: why.id,
  }))

/** A sentence after a colon. */
const within = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)
