import { parseForeign } from '../contract/json.ts'
import type { ApplicationReport } from '../scenario/index.ts'
import { type Attempt, withoutNames } from './attempt.ts'

type Call = ApplicationReport['calls'][number]
type Delivery = ApplicationReport['deliveries'][number]

interface Line {
  readonly at: number
  /** The step in which it happened, and the account's time of an event. */
  readonly when: string
  readonly what: string
}

/**
 * What happened between the gateway and the application, one line each, in the order of their starts. Times are left out
 * on a real clock, because they differ from run to run.
 */
export function narrativeOf({ result, run }: Pick<Attempt, 'result' | 'run'>): string[] {
  if (!result.application) return []
  const { calls, deliveries, restarts, visits } = result.application
  const references = merchantReferences(calls, deliveries)
  // The `disturb` steps were inserted, so they are not counted in the numbers of the user's file.
  const nameOf = (step: number) =>
    `step ${step + 1 - result.steps.slice(0, step).filter(({ verb }) => verb === 'disturb').length}`
  const lines: Line[] = [
    ...calls.map(call => ({
      at: call.startedAt,
      when: `${call.subject?.account ?? nameOf(call.step)}: `,
      what: callLine(call, references),
    })),
    ...deliveries.map((delivery, at) => {
      const { id, startedAt, step, body, subject } = delivery
      const { timestamp } = eventIn(body)
      const time = result.virtual && timestamp ? `, ${timestamp}` : ''
      const isRepeated = deliveries.slice(0, at).some(other => other.id === id)
      return {
        at: startedAt,
        when: `${subject?.account ?? nameOf(step)}${time}: `,
        what: deliveryLine(
          { ...delivery, ...(cameFirst(delivery, calls) ? { isEarly: true } : {}) },
          isRepeated,
          references,
        ),
      }
    }),
    ...visits.map(visit => ({
      at: visit.startedAt,
      when: `${nameOf(visit.step)}: `,
      what: visitLine(visit),
    })),
    ...restarts.map(({ startedAt }) => ({
      at: startedAt,
      when: '',
      what: 'it was killed and started again',
    })),
  ].sort((a, b) => a.at - b.at)
  return shortened(collapsed(lines).map(line => withoutNames(line, run)))
}

/** Whether an event came before the slow answer to the call that made its payment. */
export const cameFirst = ({ body, startedAt }: Delivery, calls: readonly Call[]): boolean =>
  calls.some(({ disturbed, answer = '', ...call }) => {
    const isSlow = disturbed?.includes('call-slow') ?? false
    const isDuring = startedAt > call.startedAt && startedAt < (call.endedAt ?? Number.POSITIVE_INFINITY)
    return isSlow && isDuring && recordIn(answer).id === eventIn(body).data?.id
  })

type References = ReadonlyMap<unknown, string>

/** What the merchant calls each payment, by the gateway's id. */
function merchantReferences(calls: readonly Call[], deliveries: readonly Delivery[]): References {
  const records = [
    ...calls.map(({ answer = '' }) => recordIn(answer)),
    ...deliveries.map(({ body }) => eventIn(body).data ?? {}),
  ]
  return new Map(
    records.flatMap(({ id, merchant_reference: reference }) =>
      typeof reference === 'string' ? [[id, reference]] : [],
    ),
  )
}

export interface PaymentNames {
  readonly id?: unknown
  readonly merchant_reference?: unknown
}

/** The record in the text of a request or an answer. */
export const recordIn = (text: string) => (parseForeign(text) ?? {}) as PaymentNames
const eventIn = (text: string) =>
  (parseForeign(text) ?? {}) as { readonly timestamp?: string; readonly data?: PaymentNames }

function callLine({ operation, path, body, status = 0, disturbed }: Call, references: References): string {
  const { merchant_reference: reference = references.get(path.split('/')[2]) } = recordIn(body)
  const answer = status === 0 ? 'got no answer' : `got ${status}`
  return `it called ${operation}${about(reference)} and ${answer}${disturbed === undefined ? '' : ` (${disturbed})`}`
}

const about = (reference: unknown) => (typeof reference === 'string' ? ` for ${reference}` : '')

type Visit = ApplicationReport['visits'][number]

const WHO: Readonly<Record<Visit['what'], string>> = {
  return: 'the payer came back with',
  'look ahead': 'a mail client asked',
  click: 'a person pressed',
}

function visitLine({ what, request, status, answer }: Visit): string {
  const reply = status === 0 ? `it did not answer: ${answer}` : `it answered ${status}`
  return `${WHO[what]} ${request}, and ${reply}`
}

const SENT: Readonly<Record<Delivery['sent'], string>> = {
  event: '',
  again: ' again',
  'unknown type': ', of an unknown type',
  'webhook-forged': ', forged',
  'webhook-unsigned': ', without a signature',
  'webhook-stale': ', with a signature that is a week old',
}

function deliveryLine(
  { type, sent, status, answer, isEarly, isAnswerLost, body }: Delivery,
  isRepeated: boolean,
  references: References,
): string {
  const { id, merchant_reference: reference = references.get(id) } = eventIn(body).data ?? {}
  const how = sent === 'event' && isRepeated ? SENT.again : SENT[sent]
  const early = isEarly ? ', before its call was answered' : ''
  const reply = status === 0 ? `did not answer: ${answer}` : `answered ${status}`
  return `it was sent ${type}${about(reference)}${how}${early}, and ${reply}${isAnswerLost ? ', but the answer was lost' : ''}`
}

/** Replaces equal lines, which come from polling and from retries that fail, by one with the time of the first. */
function collapsed(lines: readonly Line[]): string[] {
  const result: string[] = []
  for (let from = 0; from < lines.length; ) {
    const { what = '' } = lines[from] ?? {}
    const behind = lines.findIndex((other, at) => at > from && other.what !== what)
    const same = lines.slice(from, behind < 0 ? lines.length : behind)
    const isPolling = what.startsWith('it called GET')
    const isMany = same.length >= MANY_TIMES
    const shown = isPolling || isMany ? same.slice(0, 1) : same
    const times = isMany && !isPolling ? ` (${same.length} times)` : ''
    result.push(...shown.map(({ when }) => `${when}${what}${times}`))
    from += same.length
  }
  return result
}

/** Fewer equal lines than this are kept, because they are often about different orders. */
const MANY_TIMES = 4
const MOST_LINES = 24
const shortened = (lines: readonly string[]) =>
  lines.length <= MOST_LINES
    ? [...lines]
    : [...lines.slice(0, MOST_LINES / 2), '…', ...lines.slice(-MOST_LINES / 2)]
