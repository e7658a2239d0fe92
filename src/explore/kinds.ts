import { KINDS, type Kind } from '../application/disturbance.ts'
import { hasOpposite } from '../application/webhook-variants.ts'
import type { StoryRecord } from './story-record.ts'

/** One disturbance at one place of a story: a `disturb` step, and the step that it stands before. */
export interface Place {
  readonly kind: Kind
  /** Counted from 0. */
  readonly before: number
  readonly event?: string
  readonly call?: string
  readonly nth?: number
  readonly attempts?: number
  readonly when?: 'before' | 'after'
  readonly delay?: string
}

interface KindRules {
  /** What happens, in a few words. */
  readonly summary: string
  /** Wherever it can happen in a story. */
  readonly places: (story: StoryRecord, settings: KindSettings) => readonly Place[]
  /** Smaller forms of a disturbance, to be tried when it was found to matter; the smallest first. */
  readonly smaller?: (place: Place) => readonly Place[]
  /** A process of its own for each run is needed. */
  readonly restarts?: true
}

export interface KindSettings {
  /** How often the gateway tries again, at most. */
  readonly retries: number
  readonly slow: string
}

/** What polls asks the same again and again: so many of them are disturbed in one step. */
const MOST_READS = 2

const eachWebhook =
  (kind: Kind, fits: (type: string) => boolean = () => true) =>
  (story: StoryRecord): Place[] =>
    story.webhooks
      .filter(({ type }) => fits(type))
      .map(webhook => ({ kind, ...webhookPlace(story, story.webhooks.indexOf(webhook)) }))

/** The webhook by its type and number, counted from the step in which it comes. */
function webhookPlace({ webhooks }: StoryRecord, at: number) {
  const { type = '', step = 0 } = webhooks[at] ?? {}
  const nth = webhooks.slice(0, at + 1).filter(other => other.type === type && other.step >= step).length
  return { before: step, event: type, ...(nth > 1 ? { nth } : {}) }
}

const eachCall =
  (kind: Kind, more: Partial<Place> = {}) =>
  (story: StoryRecord): Place[] =>
    story.calls.flatMap((call, at) => {
      const place = callPlace(story, at)
      if (call.operation.startsWith('GET ') && (place.nth ?? 1) > MOST_READS) return []
      return [{ kind, ...place, ...more }]
    })

function callPlace({ calls }: StoryRecord, at: number) {
  const { operation = '', step = 0 } = calls[at] ?? {}
  const nth = calls
    .slice(0, at + 1)
    .filter(other => other.operation === operation && other.step >= step).length
  return { before: step, call: operation, ...(nth > 1 ? { nth } : {}) }
}

/** An event that another one follows before the application is called again: until then the two can change places. */
function swappable(story: StoryRecord): Place[] {
  const { webhooks, steps } = story
  return webhooks.flatMap((webhook, at) => {
    const next = webhooks[at + 1]
    if (!next || steps.slice(webhook.step + 1, next.step + 1).some(step => 'call app' in step)) return []
    return [{ kind: 'webhook-order' as const, ...webhookPlace(story, at) }]
  })
}

/** A call that causes an event at once: in the same step, about the same record, with no time between them. */
function causes(story: StoryRecord): Place[] {
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

const forgeries = (kind: Kind) => ({
  places: eachWebhook(kind, hasOpposite),
  smaller: ({ when, ...place }: Place): Place[] =>
    when === undefined
      ? [
          { ...place, when: 'after' },
          { ...place, when: 'before' },
        ]
      : [],
})

/** Every kind of disturbance: what it is, and where it can happen. docs/surviving.md says how to survive it. */
export const KIND_RULES: Readonly<Record<Kind, KindRules>> = {
  'webhook-twice': { summary: 'the same event comes again', places: eachWebhook('webhook-twice') },
  'webhook-twice-at-once': {
    summary: 'the same event comes twice in the same moment',
    places: eachWebhook('webhook-twice-at-once'),
  },
  'webhook-order': { summary: 'two events come in the other order', places: swappable },
  'webhook-late': {
    summary: "an event comes after the retry schedule's first, third or last gap",
    places: (story, { retries }) =>
      [...new Set([1, 3, retries])].flatMap(attempts =>
        eachWebhook('webhook-late')(story).map(place => ({ ...place, attempts })),
      ),
    smaller: ({ attempts = 1, ...place }) =>
      [1, 2, 3].filter(fewer => fewer < attempts).map(fewer => ({ ...place, attempts: fewer })),
  },
  'webhook-lost-answer': {
    summary: 'the application answers 2xx, the answer is lost, the event comes again',
    places: eachWebhook('webhook-lost-answer'),
  },
  'webhook-early': {
    summary: 'the event is there before the answer of the call that caused it',
    places: causes,
  },
  'webhook-unknown-field': {
    summary: 'an event has members that no version so far has',
    places: eachWebhook('webhook-unknown-field'),
  },
  'webhook-unknown-type': {
    summary: 'an event of a type that no version so far has comes as well',
    places: eachWebhook('webhook-unknown-type'),
  },
  'webhook-forged': {
    summary: 'somebody without the secret sends the opposite outcome',
    ...forgeries('webhook-forged'),
  },
  'webhook-unsigned': {
    summary: 'the opposite outcome comes without a signature',
    ...forgeries('webhook-unsigned'),
  },
  'webhook-stale': {
    summary: 'the opposite outcome comes, signed a week ago',
    ...forgeries('webhook-stale'),
  },
  'call-lost-answer': {
    summary: 'a call is carried out, and the connection ends without an answer',
    places: eachCall('call-lost-answer'),
  },
  'call-refused': {
    summary: 'a connection is reset, and nothing was carried out',
    places: eachCall('call-refused'),
  },
  'call-503': { summary: 'a call is answered 503, and not carried out', places: eachCall('call-503') },
  'call-429': {
    summary: 'a call is answered 429 with Retry-After: 1, and not carried out',
    places: eachCall('call-429'),
  },
  'call-slow': {
    summary: 'a call is carried out, and its answer takes long',
    places: (story, { slow }) => eachCall('call-slow', { delay: slow })(story),
  },
  'answer-unknown-field': {
    summary: 'an answer has a member that no version so far has',
    places: eachCall('answer-unknown-field'),
  },
  restart: {
    summary: 'the application is killed, and started again between two steps',
    restarts: true,
    places: ({ steps }) => steps.slice(1).map((_, at) => ({ kind: 'restart' as const, before: at + 1 })),
  },
}

/** Every place of a story where one of some kinds can happen, in the order of the story. */
export function placesOf(story: StoryRecord, kinds: readonly Kind[], settings: KindSettings): Place[] {
  const order = (kind: Kind) => KINDS.indexOf(kind)
  return kinds
    .flatMap(kind => KIND_RULES[kind].places(story, settings))
    .sort((a, b) => a.before - b.before || order(a.kind) - order(b.kind))
}

/** A place in words. */
export function describePlace({ kind, before, event, call, nth, attempts, when, delay }: Place): string {
  const which = event ?? call
  return [
    kind,
    which === undefined
      ? `before step ${before + 1}`
      : `${which}${nth === undefined ? '' : ` (number ${nth})`}`,
    which === undefined ? '' : `in step ${before + 1}`,
    attempts === undefined ? '' : `after ${attempts} lost attempt${attempts === 1 ? '' : 's'}`,
    when === undefined ? '' : `${when} the true one`,
    delay === undefined ? '' : `by ${delay}`,
  ]
    .filter(part => part !== '')
    .join(' ')
}
