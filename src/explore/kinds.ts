import {
  type DisturbanceKind,
  type DisturbanceTarget,
  isAbout,
  KINDS,
  type Subject,
} from '../application/disturbance.ts'
import { hasOpposite } from '../application/webhook-variants.ts'
import type { ScenarioData } from '../scenario/index.ts'
import { of, type StoryRecord } from './story-record.ts'

/** A disturbance at one place of a scenario: a `disturb` step, and the step that it goes before. */
export interface PlacedDisturbance extends DisturbanceTarget {
  readonly kind: DisturbanceKind
  /** Counted from 0. */
  readonly before: number
  readonly delay?: string
  /** The payment whose payer returns at this place, though no step says so. */
  readonly payment?: string
}

interface KindRules {
  /** What happens, in a few words. */
  readonly summary: string
  /** How to write an application that survives it. */
  readonly advice: string
  /** All places in a scenario where it can happen. */
  readonly places: (story: StoryRecord, settings: KindSettings) => readonly PlacedDisturbance[]
  /** Smaller forms to try after a failure, smallest first. */
  readonly smaller?: (place: PlacedDisturbance) => readonly PlacedDisturbance[]
  /** Needs an application that can be restarted between two runs. */
  readonly restarts?: true
  /** A correct application waits for a second before it goes on. */
  readonly pauses?: true
  /** Two things happen at the same moment, so even an application with a bug may be lucky. */
  readonly races?: true
}

export interface KindSettings {
  /** The number of retries of the gateway. */
  readonly retries: number
  readonly slow: string
}

/** Polling repeats a request many times: disturb only this many in one step. */
const MOST_READS = 2

const eachWebhook =
  (kind: DisturbanceKind, fits: (type: string) => boolean = () => true) =>
  (story: StoryRecord): PlacedDisturbance[] =>
    story.webhooks
      .filter(({ type }) => fits(type))
      .map(webhook => ({ kind, ...webhookPlace(story, story.webhooks.indexOf(webhook)) }))

/** Names a webhook by its type and number, counted from the step in which it comes. */
function webhookPlace({ webhooks }: StoryRecord, at: number) {
  const { type = '', step = 0, ...subject } = webhooks[at] ?? {}
  const nth = webhooks
    .slice(0, at + 1)
    .filter(other => other.type === type && other.step >= step && isAbout(subject, other)).length
  return { before: step, event: type, ...named(subject), ...(nth > 1 ? { nth } : {}) }
}

const eachCall =
  (kind: DisturbanceKind, more: Partial<PlacedDisturbance> = {}) =>
  (story: StoryRecord): PlacedDisturbance[] =>
    story.calls.flatMap((call, at) => {
      const place = callPlace(story, at)
      if (call.operation.startsWith('GET ') && (place.nth ?? 1) > MOST_READS) return []
      return [{ kind, ...place, ...more }]
    })

/** The first call of each button that makes something: one that gave up must serve the next press. */
function duringClicks(story: StoryRecord): PlacedDisturbance[] {
  const pressed = new Set(story.clicks.map(({ step }) => step))
  const first = new Map<number, number>()
  for (const [at, { operation, step }] of story.calls.entries())
    if (pressed.has(step) && !operation.startsWith('GET ') && !first.has(step)) first.set(step, at)
  return [...first.values()].map(at => ({ kind: 'call-outage', ...callPlace(story, at) }))
}

function callPlace({ calls }: StoryRecord, at: number) {
  const { operation = '', step = 0, ...subject } = calls[at] ?? {}
  const nth = calls
    .slice(0, at + 1)
    .filter(other => other.operation === operation && other.step >= step && isAbout(subject, other)).length
  return { before: step, call: operation, ...named(subject), ...(nth > 1 ? { nth } : {}) }
}

const named = ({ account, reference }: Subject): Subject => ({
  ...(account === undefined ? {} : { account }),
  ...(reference === undefined ? {} : { reference }),
})

/** Whether the application is called once more behind a step, so that a story could wait there for a late event. */
const isCalledAfter = (at: number, { steps }: StoryRecord) =>
  steps.slice(at + 1).some(step => /"(call app|payer returns)":/.test(JSON.stringify(step)))

/** Events that can swap with the next one: the application is not called between the two. */
function swappable(story: StoryRecord): PlacedDisturbance[] {
  const { webhooks, steps } = story
  return webhooks.flatMap((webhook, at) => {
    const next = webhooks[at + 1]
    if (!next || next.account !== webhook.account) return []
    if (steps.slice(webhook.step + 1, next.step + 1).some(step => 'call app' in step)) return []
    return [{ kind: 'webhook-order' as const, ...webhookPlace(story, at) }]
  })
}

/** Calls that cause an event at once: in the same step and for the same record, while no time passes. */
function causes(story: StoryRecord): PlacedDisturbance[] {
  const { calls, webhooks, steps } = story
  return calls.flatMap(({ operation, step, subject }, at) => {
    const isTimeless = !['advance', 'wait for payment'].some(verb => verb in (steps[step] ?? {}))
    const isCause =
      subject !== '' &&
      !operation.startsWith('GET ') &&
      isTimeless &&
      webhooks.some(webhook => webhook.step === step && webhook.subject === subject)
    return isCause ? [{ kind: 'webhook-early' as const, ...callPlace(story, at) }] : []
  })
}

/**
 * In a test command, which need not move the clock, a lost answer makes the event come again behind the next one. But
 * tests that empty a database between them may use a reference again: there, the event could reach another order.
 */
function behindNext(place: PlacedDisturbance, { webhooks }: StoryRecord): PlacedDisturbance {
  const own = webhooks.filter(({ account }) => account === place.account)
  const last = own.at(-1)
  const isLast = last?.type === place.event && last?.reference === place.reference
  const records = new Set(own.filter(one => one.reference === place.reference).map(({ subject }) => subject))
  const isSure = place.account !== undefined && !isLast && records.size === 1
  return isSure ? { ...place, behindNext: true } : place
}

/** Restarts after which the events of the previous step come again, as if its answers to them had been lost. */
function forgettable({ webhooks, steps }: StoryRecord): PlacedDisturbance[] {
  const places = webhooks
    .filter(({ step, status }) => status >= 200 && status < 300 && step + 1 < steps.length)
    .map(({ step, type }) => ({ kind: 'restart' as const, before: step + 1, event: type }))
  return [...new Map(places.map(place => [`${place.before} ${place.event}`, place])).values()]
}

/** A message that comes before and after the real event may do harm at only one of these times. */
const onOneSide = ({ when, ...place }: PlacedDisturbance): PlacedDisturbance[] =>
  when === undefined
    ? [
        { ...place, when: 'after' },
        { ...place, when: 'before' },
      ]
    : []

const forgeries = (kind: DisturbanceKind) => ({ places: eachWebhook(kind, hasOpposite), smaller: onOneSide })

/** The final event of each payment whose payer comes back, unless the payer was back before it anyway. */
function endings(
  kind: 'return-early' | 'return-at-once',
  { returns, decisions, webhooks, ...story }: StoryRecord,
): PlacedDisturbance[] {
  const unused = returns.filter(({ isUsed }) => !isUsed)
  const payments = new Set([...unused, ...decisions].map(({ payment }) => payment))
  return [...payments].flatMap(payment => {
    const at = webhooks.findIndex(({ subject, type }) => subject === payment && hasOpposite(type))
    const event = webhooks[at]
    const back = returns.find(visit => visit.payment === payment)
    if (!event || (kind === 'return-early' && back && back.step <= event.step)) return []
    return [{ kind, ...webhookPlace({ returns, decisions, webhooks, ...story }, at) }]
  })
}

/** Each return, and the moment behind each decision after which a browser would return. */
function eachReturn(kind: DisturbanceKind, { returns, decisions, steps }: StoryRecord): PlacedDisturbance[] {
  const implied = decisions.filter(({ step }) => step + 1 < steps.length)
  return [
    ...returns.map((_, at) => ({ kind, ...nthPlace(returns, at) })),
    ...implied.map(({ step, named }) => ({ kind, before: step + 1, payment: named })),
  ]
}

/** Names a return or a click by its number in its step. */
function nthPlace(all: readonly { readonly step: number }[], at: number) {
  const { step = 0 } = all[at] ?? {}
  const nth = all.slice(0, at + 1).filter(other => other.step === step).length
  return { before: step, ...(nth > 1 ? { nth } : {}) }
}

/** After a decline, the same button begins a second try, so a click that may come after one is left alone. */
const eachClick =
  (kind: DisturbanceKind) =>
  ({ clicks, webhooks }: StoryRecord): PlacedDisturbance[] =>
    clicks.flatMap(({ step }, at) => {
      const isDeclined = webhooks.some(
        webhook => webhook.step === step && /\.(failed|expired|cancelled)$/.test(webhook.type),
      )
      return isDeclined ? [] : [{ kind, ...nthPlace(clicks, at) }]
    })

/** Each kind of disturbance: what happens, and where it can happen. docs/surviving.md says how to survive it. */
export const KIND_RULES: Readonly<Record<DisturbanceKind, KindRules>> = {
  'webhook-twice': {
    summary: 'the same event comes again',
    advice:
      'Store the ids of the events that you handled, in the transaction that changes the order. Answer 2xx to an event that you know.',
    places: eachWebhook('webhook-twice'),
  },
  'webhook-twice-at-once': {
    races: true,
    summary: 'the same event comes twice at the same moment',
    advice:
      'Check and write in one step: a unique index on the event id, an UPDATE with the old status in its WHERE, or a lock on the order.',
    places: eachWebhook('webhook-twice-at-once'),
  },
  'webhook-order': {
    summary: 'two events come in reverse order',
    advice:
      'An earlier event must not undo a later one: once an order is final, do not change it. Or read the payment from the API.',
    places: swappable,
  },
  'webhook-late': {
    summary: "an event comes after the retry schedule's first, third or last gap",
    advice: 'Do not drop an event because it is old: only the signature must be recent.',
    places: (story, { retries }) => [
      ...[...new Set([1, 3, retries])].flatMap(attempts =>
        eachWebhook('webhook-late')(story).map(place => ({ ...place, attempts })),
      ),
      ...eachWebhook('webhook-late')(story)
        .filter(({ before }) => isCalledAfter(before, story))
        .map(place => ({ ...place, attempts: Math.min(3, retries), waits: false as const })),
    ],
    smaller: ({ attempts = 1, ...place }) =>
      place.waits === false
        ? []
        : [1, 2, 3].filter(fewer => fewer < attempts).map(fewer => ({ ...place, attempts: fewer })),
  },
  'webhook-lost-answer': {
    summary: 'the application answers 2xx, but the answer is lost and the event comes again',
    advice:
      'Store the ids of all events, not only of the last one. The signature and the timestamp differ at each attempt.',
    places: story => eachWebhook('webhook-lost-answer')(story).map(place => behindNext(place, story)),
    smaller: ({ behindNext, ...place }) => (behindNext ? [place] : []),
  },
  'webhook-early': {
    summary: 'the event comes before the answer to the call that caused it',
    advice:
      'Store the order before you call the gateway and find it by merchant_reference, or answer 404 or 503 until you know the payment. A queue must keep an event whose payment is unknown, and try it again.',
    places: causes,
    pauses: true,
  },
  'webhook-unknown-field': {
    summary: 'an event has members that no version has yet',
    advice:
      'Read the members that you know, and ignore the others. Verify the signature over the bytes that came, not over what you parsed.',
    places: eachWebhook('webhook-unknown-field'),
  },
  'webhook-unknown-type': {
    summary: 'an event comes whose type no version has yet',
    advice: 'Answer 2xx to an event type that you do not know, and do nothing.',
    places: eachWebhook('webhook-unknown-type'),
    smaller: onOneSide,
  },
  'webhook-forged': {
    summary: 'somebody without the secret sends the opposite outcome',
    advice: 'Verify the signature over the bytes of the body before you parse it. Answer 401 if it is wrong.',
    ...forgeries('webhook-forged'),
  },
  'webhook-unsigned': {
    summary: 'the opposite outcome comes without a signature',
    advice: 'A missing signature is a wrong signature: answer 401.',
    ...forgeries('webhook-unsigned'),
  },
  'webhook-stale': {
    summary: 'the opposite outcome comes with a signature that is a week old',
    advice: 'Refuse a webhook whose webhook-timestamp is more than five minutes old.',
    ...forgeries('webhook-stale'),
  },
  'call-lost-answer': {
    summary: 'a call succeeds, but the connection ends without an answer',
    advice: 'Store an Idempotency-Key before the call, and repeat the call with the same key.',
    places: eachCall('call-lost-answer'),
  },
  'call-refused': {
    summary: 'the connection is reset before a call takes effect',
    advice: 'Repeat the call after a moment, with the same Idempotency-Key.',
    places: eachCall('call-refused'),
  },
  'call-503': {
    summary: 'a call gets a 503 and takes no effect',
    advice: 'Repeat the call after a moment, then after a longer one, with the same Idempotency-Key.',
    places: eachCall('call-503'),
  },
  'call-429': {
    summary: 'a call gets a 429 with Retry-After: 1 and takes no effect',
    advice: 'Wait as long as Retry-After says, and repeat the call with the same Idempotency-Key.',
    places: eachCall('call-429'),
    pauses: true,
  },
  'call-slow': {
    summary: 'a call succeeds, but its answer comes late',
    advice:
      'After a timeout, repeat the call with the same Idempotency-Key: the first call may have succeeded.',
    places: (story, { slow }) => eachCall('call-slow', { delay: slow })(story),
  },
  'call-outage': {
    summary:
      'a call gets a 503, and all further calls are refused until the application gives up; then the customer presses again',
    advice:
      'An order whose payment could not be made must stay open: keep its Idempotency-Key, and make the payment when the customer presses again.',
    places: duringClicks,
  },
  'answer-unknown-field': {
    summary: 'an answer has a member that no version has yet',
    advice: 'Read the members that you know, and ignore the others.',
    places: eachCall('answer-unknown-field'),
  },
  restart: {
    summary: 'the application is killed and started again between two steps',
    advice:
      'Write to a database or a file before you answer, including which events you handled. At the start, continue what was not finished.',
    restarts: true,
    places: story => [
      ...story.steps.slice(1).map((_, at) => ({ kind: 'restart' as const, before: at + 1 })),
      ...forgettable(story),
    ],
    smaller: ({ event, ...place }) => (event === undefined ? [] : [place]),
  },
  'return-early': {
    summary: 'the payer is back at the shop before the event that tells how the payment went',
    advice:
      'Read the payment from the API when the payer returns, or show that it is being processed. Change the order in one function, which both the page of return and the webhook call.',
    places: story => endings('return-early', story),
  },
  'return-at-once': {
    races: true,
    summary: 'the payer comes back in the same moment as the event that tells how the payment went',
    advice:
      'Check and write in one step, with one guard for both ways in: an UPDATE with the old status in its WHERE, or a lock on the order.',
    places: story => endings('return-at-once', story),
  },
  'return-twice': {
    summary: 'the payer reloads the page of return',
    advice: 'Opening a page must not change an order a second time: look at its status first.',
    places: story => eachReturn('return-twice', story),
  },
  'return-never': {
    summary: 'the payer closes the browser and never comes back',
    advice: 'Let the webhook do everything that must happen, and the page of return only show it.',
    places: ({ returns }) =>
      returns.flatMap(({ isUsed }, at) =>
        isUsed ? [] : [{ kind: 'return-never' as const, ...nthPlace(returns, at) }],
      ),
  },
  'return-prefetch': {
    summary: 'a mail client or a chat opens the page of return before the payer does, without cookies',
    advice:
      'A GET must change nothing that the API does not confirm. A page without a session must answer, too.',
    places: story => eachReturn('return-prefetch', story),
  },
  'click-twice': {
    races: true,
    summary: 'the button is pressed twice in the same moment',
    advice:
      "Use the order's reference as the Idempotency-Key of the payment, and a unique index on the reference of the order.",
    places: eachClick('click-twice'),
  },
  'click-again': {
    summary: 'the button is pressed once more after its answer',
    advice: 'Look for the open payment of the order first, and send the payer to it.',
    places: eachClick('click-again'),
  },
}

/** All places of a scenario where these kinds can happen, in the order of the steps. */
export function placesOf(
  story: StoryRecord,
  kinds: readonly DisturbanceKind[],
  settings: KindSettings,
): PlacedDisturbance[] {
  const order = (kind: DisturbanceKind) => KINDS.indexOf(kind)
  return kinds
    .flatMap(kind => KIND_RULES[kind].places(story, settings))
    .sort((a, b) => a.before - b.before || order(a.kind) - order(b.kind))
}

/** Describes a place in words. */
export function describePlace({
  kind,
  before,
  event,
  call,
  nth,
  attempts,
  waits,
  when,
  delay,
  payment,
  account,
  reference,
  behindNext,
}: PlacedDisturbance): string {
  if (kind === 'restart')
    return `restart before step ${before + 1}${event === undefined ? '' : `, then ${event} again`}`
  if (event === undefined && /^(return|click)-/.test(kind)) {
    const which = nth === undefined ? '' : ` (number ${nth})`
    return `${kind}${payment === undefined ? which : ` of ${payment}`} ${payment === undefined ? 'in' : 'before'} step ${before + 1}`
  }
  const which = event ?? call
  return [
    kind,
    which === undefined
      ? `before step ${before + 1}`
      : `${which}${of({ account, reference })}${nth === undefined ? '' : ` (number ${nth})`}`,
    which === undefined || account !== undefined ? '' : `in step ${before + 1}`,
    attempts === undefined ? '' : `after ${attempts} lost attempt${attempts === 1 ? '' : 's'}`,
    waits === false ? 'while the story goes on' : '',
    when === undefined ? '' : `${when} the true one`,
    delay === undefined ? '' : `by ${delay}`,
    behindNext ? 'behind the next one' : '',
  ]
    .filter(part => part !== '')
    .join(' ')
}

type Step = Record<string, unknown>

/** A `disturb` step as in a scenario file. */
function disturbStep({ kind, before: _, ...rest }: PlacedDisturbance): Step {
  return { disturb: kind, ...rest }
}

/** The scenario with disturbances inserted, and with checks of the application's final state at the end. */
export function disturbedStory(
  data: ScenarioData,
  places: readonly PlacedDisturbance[],
  story: StoryRecord,
): ScenarioData {
  const steps = (data.steps ?? []) as Step[]
  const looks = story.finalLooks.map(({ step }) => step)
  const isRepeated = (step: Step) =>
    'expect app' in step && looks.some(look => look['expect app'] === step['expect app'])
  // What the last steps expect, the checks at the end expect again.
  const last = steps.findLastIndex(step => !isRepeated(step) || 'as' in step)
  const disturbed = steps.flatMap((step, at) => [
    ...places.filter(({ before }) => before === at).map(disturbStep),
    ...(at <= last ? [step] : []),
  ])
  const { known, payments } = story
  const end: Step = {
    disturb: 'end',
    ...(payments === undefined ? {} : { payments }),
    ...(known.length > 0 ? { known } : {}),
  }
  const { verify: _, ...rest } = data
  const all = [...disturbed, end, ...looks]
  return { ...rest, steps: all as unknown as NonNullable<ScenarioData['steps']> }
}
