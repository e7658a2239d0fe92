import type { Violation } from '../application/application-run.ts'
import type { ApplicationReport } from '../scenario/index.ts'
import { recordIn } from './narrative.ts'

/** What the gateway sees of a run of a test command, whatever its tests look at. */
export interface SeenByGateway {
  readonly total: number
  /** How many payments have the same merchant_reference in an account. */
  readonly payments: ReadonlyMap<string, number>
  /** How each endpoint answered valid webhooks, by account and path: a program may listen at another port in each run. */
  readonly endpoints: ReadonlyMap<string, { readonly took: number; readonly failed: number }>
}

const CREATES = 'POST /payment_intents'

export function seenIn({ calls, deliveries }: ApplicationReport): SeenByGateway {
  const made = new Map<unknown, string>()
  for (const { operation, body, answer = '', subject } of calls) {
    const { id, merchant_reference: own } = recordIn(answer)
    const { merchant_reference: reference = own } = recordIn(body)
    if (operation === CREATES && id !== undefined && typeof reference === 'string')
      made.set(id, `${subject?.account} ${reference}`)
  }
  const payments = new Map<string, number>()
  for (const name of made.values()) payments.set(name, (payments.get(name) ?? 0) + 1)
  const endpoints = new Map<string, { took: number; failed: number }>()
  for (const delivery of deliveries) {
    if (!isValid(delivery)) continue
    const name = endpointOf(delivery)
    const { took, failed } = endpoints.get(name) ?? { took: 0, failed: 0 }
    const isTaken = delivery.status >= 200 && delivery.status < 300
    endpoints.set(name, { took: took + Number(isTaken), failed: failed + Number(delivery.status >= 500) })
  }
  return { total: made.size, payments, endpoints }
}

type Delivery = ApplicationReport['deliveries'][number]

const isValid = ({ sent, isEarly }: Delivery) => !sent.startsWith('webhook-') && !isEarly
const endpointOf = ({ subject, endpoint = '' }: Delivery) =>
  `${subject?.account} ${new URL(endpoint, 'http://localhost').pathname}`

/** What both of two undisturbed runs may show. */
export function either(one: SeenByGateway, other: SeenByGateway): SeenByGateway {
  const payments = new Map(one.payments)
  for (const [name, count] of other.payments) payments.set(name, Math.max(count, payments.get(name) ?? 0))
  const endpoints = new Map(one.endpoints)
  for (const [name, { took, failed }] of other.endpoints) {
    const before = endpoints.get(name) ?? { took: 0, failed: 0 }
    endpoints.set(name, { took: took + before.took, failed: failed + before.failed })
  }
  return { total: Math.max(one.total, other.total), payments, endpoints }
}

/** What no right program does, compared with undisturbed runs: tests may order twice, and may test refusals of their own. */
export function violationsIn(report: ApplicationReport, usual: SeenByGateway): Violation[] {
  return [...secondPayments(seenIn(report), usual), ...errorAnswers(report, usual)]
}

function secondPayments({ total, payments }: SeenByGateway, usual: SeenByGateway): Violation[] {
  if (total <= usual.total) return []
  return [...payments].flatMap(([name, count]) => {
    const before = usual.payments.get(name) ?? 0
    if (count < 2 || count <= before) return []
    const reference = name.slice(name.lastIndexOf(' ') + 1)
    const made = `it made ${count} payments with the merchant_reference ${reference}`
    const message = `${made}, and ${total} in all instead of ${usual.total}`
    return [{ what: 'second payment' as const, message, sameAs: `second payment ${name}` }]
  })
}

function errorAnswers({ calls, deliveries }: ApplicationReport, { endpoints }: SeenByGateway): Violation[] {
  if (calls.some(({ disturbed }) => disturbed !== undefined)) return []
  return deliveries.flatMap(delivery => {
    const { took = 0, failed = 0 } = endpoints.get(endpointOf(delivery)) ?? {}
    if (!isValid(delivery) || delivery.status < 500 || took === 0 || failed > 0) return []
    const { status, type, answer, sent } = delivery
    const shown = answer === '' ? '' : `: ${answer.slice(0, 200)}`
    const how = sent === 'again' ? ' that came again' : ''
    const message = `it answered ${status} to a valid webhook ${type}${how}${shown}`
    return [{ what: 'error answer' as const, message, sameAs: `error answer ${type}` }]
  })
}
