import type { Why } from '../../contract/control/timeline.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { Entry } from '../events.ts'
import type { Delivery } from '../model.ts'
import { answer, type Surroundings, type Told } from './answer.ts'

/** Why a webhook's delivery is as it is. */

export type DeliveryReason =
  | { readonly is: 'first attempt'; readonly at: string }
  | { readonly is: 'delayed'; readonly at: string }
  | { readonly is: 'held'; readonly at: string }
  | { readonly is: 'overtaken'; readonly at: string }
  | { readonly is: 'sent again'; readonly at: string }
  | { readonly is: 'retry'; readonly at: string; readonly tried: number; readonly last: string }
  | { readonly is: 'under way'; readonly tried: number }
  | { readonly is: 'on hold' }
  | { readonly is: 'delivered'; readonly tried: number; readonly status: number }
  | { readonly is: 'taken with a wrong signature'; readonly status: number }
  | { readonly is: 'given up'; readonly tried: number; readonly last: string }
  | { readonly is: 'endpoint gone' }
  | { readonly is: 'endpoint disabled' }
  | { readonly is: 'endpoint removed' }
  | { readonly is: 'dropped' }

export interface DeliveryFacts extends Surroundings {
  readonly eventType: string | null
  readonly endpoint: 'there' | 'disabled' | 'removed'
  /** Whether a fault holds it until the next event overtakes it. */
  readonly held: boolean
}

export function whyDelivery(delivery: Delivery, facts: DeliveryFacts): Why {
  const { id, status, attempts, fault, eventId, endpointId, createdAt } = delivery
  const told = tellDelivery(deliveryReason(delivery, facts), id)
  const isFree = facts.endpoint === 'there' && status !== 'attempting'
  const commands = told.commands.filter(([, verb]) => verb !== 'redeliver' || isFree)
  return answer({ id, kind: 'delivery', status }, { ...told, commands }, facts, [
    {
      what: `the event ${facts.eventType ?? 'is no longer kept'}`,
      id: eventId,
      at: formatTimestamp(createdAt),
    },
    { what: `its endpoint is ${delivery.url}`, id: endpointId },
    ...(fault === null ? [] : [{ what: `the fault ${fault} affected it` }]),
    ...attempts.flatMap(({ startedAt, result }, nth) =>
      result ? [{ what: `attempt ${nth + 1}: ${resultWords(result)}`, at: formatTimestamp(startedAt) }] : [],
    ),
  ])
}

const resultWords = ({
  status,
  error,
}: {
  readonly status: number | null
  readonly error: string | null
}): string => (status === null ? (error ?? 'no answer') : `answered ${status}`)

function deliveryReason(delivery: Delivery, facts: DeliveryFacts): DeliveryReason {
  const { id, status, attempts, fault, nextAttemptAt } = delivery
  const last = attempts.at(-1)?.result ?? null
  const tried = attempts.length
  switch (status) {
    case 'pending': {
      const at = formatTimestamp(nextAttemptAt ?? facts.now)
      if (facts.held) return { is: 'held', at }
      const moved = movedBy(facts.entries, id)
      if (moved === 'operator') return { is: 'sent again', at }
      if (last) return { is: 'retry', at, tried, last: resultWords(last) }
      if (moved !== undefined) return { is: 'overtaken', at }
      return fault === 'delay' ? { is: 'delayed', at } : { is: 'first attempt', at }
    }
    case 'attempting':
      return fault === 'hold' && tried === 1 ? { is: 'on hold' } : { is: 'under way', tried }
    case 'delivered': {
      const answered = last?.status ?? 200
      return fault === 'bad_signature'
        ? { is: 'taken with a wrong signature', status: answered }
        : { is: 'delivered', tried, status: answered }
    }
    case 'failed':
      if (last?.status === 410) return { is: 'endpoint gone' }
      if (facts.endpoint === 'removed') return { is: 'endpoint removed' }
      if (facts.endpoint === 'disabled') return { is: 'endpoint disabled' }
      return { is: 'given up', tried, last: last ? resultWords(last) : 'no answer' }
    case 'dropped':
      return { is: 'dropped' }
  }
}

/** Who moved its next attempt, if nothing was sent since. */
function movedBy(entries: readonly Entry[], delivery: string): string | undefined {
  for (const { by, events } of entries.toReversed())
    for (const event of events) {
      if (!('delivery' in event) || event.delivery !== delivery) continue
      if (event.type === 'DeliveryMoved') return by
      if (event.type === 'AttemptStarted') return undefined
    }
  return undefined
}

export function tellDelivery(reason: DeliveryReason, id: string): Told {
  const again = [['deliveries', 'redeliver', id]]
  switch (reason.is) {
    case 'first attempt':
      return { sentence: `Its first attempt is due at ${reason.at}.`, commands: again }
    case 'delayed':
      return { sentence: `A fault delays its first attempt until ${reason.at}.`, commands: again }
    case 'held':
      return {
        sentence: `A fault holds it back until another event overtakes it, or until ${reason.at}.`,
        commands: again,
      }
    case 'overtaken':
      return { sentence: `Another event has overtaken it, so it follows at ${reason.at}.`, commands: again }
    case 'sent again':
      return { sentence: `Somebody asked to send it again, which is due at ${reason.at}.`, commands: again }
    case 'retry':
      return {
        sentence: `Attempt ${reason.tried} did not succeed (${reason.last}); the next one is due at ${reason.at}.`,
        commands: again,
      }
    case 'on hold':
      return {
        sentence: 'A fault holds its first attempt until somebody lets it go, or has just let it go.',
        waits: { what: 'somebody lets it go, or its time is over', by: 'operator' },
        commands: [['holds', 'list']],
      }
    case 'under way':
      return {
        sentence: `Attempt ${reason.tried} is under way: its receiver has not answered yet.`,
        waits: { what: 'the receiver answers, or its time is over', by: 'courier' },
        commands: [['deliveries', 'show', id]],
      }
    case 'delivered':
      return {
        sentence: `Its receiver answered attempt ${reason.tried} with ${reason.status}.`,
        commands: again,
      }
    case 'taken with a wrong signature':
      return {
        sentence: `Its receiver answered ${reason.status}, although a fault gave it a wrong signature: the receiver does not verify.`,
        commands: again,
      }
    case 'given up':
      return {
        sentence: `All ${reason.tried} attempts failed (the last one: ${reason.last}), so no more are made.`,
        commands: again,
      }
    case 'endpoint gone':
      return {
        sentence: 'Its receiver answered 410, which disabled the endpoint.',
        commands: [['endpoints', 'list']],
      }
    case 'endpoint disabled':
      return {
        sentence: 'Its endpoint was disabled by a 410 to another delivery before this one was delivered.',
        commands: [['endpoints', 'list']],
      }
    case 'endpoint removed':
      return {
        sentence: 'Its endpoint was removed before it was delivered.',
        commands: [['endpoints', 'list']],
      }
    case 'dropped':
      return { sentence: 'A fault dropped it, so it is never sent by itself.', commands: again }
  }
}
