import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml'
import { formatDuration, LONGEST_MS } from '../../contract/durations.ts'
import type { PaymentTrigger } from '../../contract/statuses.ts'
import { formatTimestamp, shownAt } from '../../contract/timestamps.ts'
import { CLOCK_BEGINS } from '../schema/account.ts'
import { type Act, IdOf, Moment, type Story } from './story.ts'

/** A story as a scenario file for `paysim run`. */
export function yamlOf(story: Story): string {
  const { name, environment, checkoutModes, rules, catalogue, acts } = story
  const scenario = {
    paysim: 1,
    name,
    ...(environment === 'live' ? { environment } : {}),
    ...(checkoutModes.length > 0 ? { policy: { checkout_modes: checkoutModes } } : {}),
    ...(catalogue ? { catalogue: { replace: catalogue } } : {}),
    provider: rules,
    steps: acts.flatMap(act => stepsOf(act).map(step => written(step))),
  }
  const document = new Document(scenario, { aliasDuplicateObjects: false })
  visit(document, { Node: (_, node, path) => layOut(node, path.length) })
  // A text stays in its line, so that what looks like another line is none.
  const layout = { lineWidth: 110, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }
  return document.toString(layout).replace(UNSEEN, escaped)
}

const LONGEST_FLOW = 96

/** Short maps and lists take one line, and texts with what an editor does not show are quoted. */
function layOut(node: unknown, depth: number): void {
  if (isScalar(node) && typeof node.value === 'string' && UNSEEN_OR_BREAK.test(node.value))
    node.type = Scalar.QUOTE_DOUBLE
  if ((isMap(node) || isSeq(node)) && depth > 4 && JSON.stringify(node).length <= LONGEST_FLOW)
    node.flow = true
}

/** What some readers take for the end of a line, and other characters that nobody sees. */
export const UNSEEN =
  /[\u007f-\u009f\u00ad\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/g
const UNSEEN_OR_BREAK = new RegExp(`[\\u0000-\\u001f\\ud800-\\udfff]|${UNSEEN.source}`)
export const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A literal text in which nothing is a reference. */
const literal = (text: string) => text.replace(/\$\{[^}]*\}/g, reference => `$${reference}`)

function written(value: unknown): unknown {
  if (typeof value === 'string') return literal(value)
  if (value instanceof IdOf) return `\${${value.name}.id}`
  if (value instanceof Moment) return instant(value)
  if (Array.isArray(value)) return value.map(written)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, written(inner)]])),
  )
}

/** A duration has at most a hundred years, so what is further away is written as it will be. */
function instant({ sinceStartMs }: Moment): string {
  if (sinceStartMs === 0) return '${start}'
  const distance = Math.abs(sinceStartMs)
  if (distance > LONGEST_MS) return writtenAt({ sinceStartMs })
  return `\${start${sinceStartMs < 0 ? '-' : '+'}${formatDuration(distance)}}`
}

/** As it is on a clock that begins as usual. */
export const writtenAt = ({ sinceStartMs }: Moment) =>
  formatTimestamp(shownAt(Date.parse(CLOCK_BEGINS) + sinceStartMs))

export const waits = (ms: number): number[] =>
  ms > LONGEST_MS ? [LONGEST_MS, ...waits(ms - LONGEST_MS)] : [ms]

type Step = Readonly<Record<string, unknown>>

/** What the payer does on a page has a step of its own. */
const ON_PAGE: Readonly<Partial<Record<PaymentTrigger, string>>> = {
  succeed: 'payer approves',
  fail: 'payer declines',
  expire: 'payer lets expire',
}

function stepsOf(act: Act): Step[] {
  const payment = 'payment' in act ? new IdOf(act.payment) : undefined
  const payout = 'payout' in act ? new IdOf(act.payout) : undefined
  switch (act.act) {
    case 'create payment':
      return [
        {
          'create payment': act.body,
          as: act.as,
          key: act.key,
          expect: { status: 201, body: act.seen },
        },
      ]
    case 'choose':
      return [{ 'payer chooses': act.method, payment, with: orNone(act.fields) }]
    case 'trigger': {
      const onPage = act.byPayer ? ON_PAGE[act.trigger] : undefined
      return [onPage ? { [onPage]: payment } : { trigger: act.trigger, payment, ...failureIn(act) }]
    }
    case 'send receipt':
      return [{ 'payer sends receipt': payment, image: act.image }]
    case 'submit receipt':
      return [{ 'submit receipt': payment, image: act.image, key: act.key, expect: { body: act.seen } }]
    case 'submit asset':
      return [{ 'submit receipt': payment, asset: new IdOf(act.asset), expect: { body: act.seen } }]
    case 'cancel payment':
      return [{ 'cancel payment': payment, key: act.key, expect: { body: act.seen } }]
    case 'upload asset':
      return [{ 'upload asset': 'payment_receipt', image: act.image, as: act.as }]
    case 'create payout':
      return [{ 'create payout': act.body, as: act.as }]
    case 'move payout':
      return [{ [`${act.to} payout`]: payout, ...failureIn(act) }]
    case 'cancel payout':
      return [{ 'cancel payout': payout, reason: act.reason ?? undefined, expect: { body: act.seen } }]
    case 'advance':
      return waits(act.ms).map(ms => ({ advance: formatDuration(ms) }))
    case 'look':
      return [{ [`expect ${act.whole ? 'record' : act.kind}`]: new IdOf(act.at), is: act.seen }]
    case 'webhooks': {
      const expected = act.seen.length === 0 ? { none: true } : { exactly: act.seen }
      return [{ 'expect webhooks': 'all', ...expected, ...(act.inOrder ? {} : { 'any order': true }) }]
    }
    case 'set':
      return [
        ...(act.catalogue ? [{ 'set catalogue': { replace: act.catalogue } }] : []),
        ...(act.rules ? [{ 'set rules': act.rules }] : []),
      ]
  }
}

const orNone = <T extends object>(members: T) => (Object.keys(members).length === 0 ? undefined : members)

const failureIn = ({ failure: { code, message } }: Extract<Act, { failure: unknown }>) => ({
  failure_code: code,
  failure_message: message,
})
