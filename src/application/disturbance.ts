/** What an application must survive. docs/surviving.md has a section on each kind. */
const WEBHOOK_KINDS = [
  'webhook-twice',
  'webhook-twice-at-once',
  'webhook-order',
  'webhook-late',
  'webhook-lost-answer',
  'webhook-early',
  'webhook-unknown-field',
  'webhook-unknown-type',
  'webhook-forged',
  'webhook-unsigned',
  'webhook-stale',
] as const
const CALL_KINDS = [
  'call-lost-answer',
  'call-refused',
  'call-503',
  'call-429',
  'call-slow',
  'call-outage',
  'answer-unknown-field',
] as const
const RETURN_KINDS = [
  'return-early',
  'return-at-once',
  'return-twice',
  'return-never',
  'return-prefetch',
] as const
const CLICK_KINDS = ['click-twice', 'click-again'] as const
export const KINDS = [...WEBHOOK_KINDS, ...CALL_KINDS, 'restart', ...RETURN_KINDS, ...CLICK_KINDS] as const

export type DisturbanceKind = (typeof KINDS)[number]

/** What a right program does not notice, so that the test command of one passes. */
export const SUITE_KINDS: readonly DisturbanceKind[] = [
  ...(['webhook-twice', 'webhook-twice-at-once', 'webhook-lost-answer'] as const),
  ...(['webhook-unknown-field', 'webhook-unknown-type'] as const),
  ...(['webhook-forged', 'webhook-unsigned', 'webhook-stale', 'answer-unknown-field'] as const),
]

/** The kinds that need only an endpoint, not a scenario. */
export type EndpointKind = Exclude<(typeof WEBHOOK_KINDS)[number], 'webhook-early'>
export const ENDPOINT_KINDS = WEBHOOK_KINDS.filter((kind): kind is EndpointKind => kind !== 'webhook-early')

/** What a webhook or call is about, where one run has several accounts. */
export interface Subject {
  /** The account, by a name that is the same in each run. */
  readonly account?: string | undefined
  /** The merchant_reference of its record. */
  readonly reference?: string | undefined
}

/** Which webhook or call goes wrong, and how. What it does not say matches anything. */
export interface DisturbanceTarget extends Subject {
  /** The type of the webhook event to disturb; for `restart`, the type of the events that come again afterwards. */
  readonly event?: string | undefined
  /** The call to disturb, such as `POST /payment_intents`. */
  readonly call?: string | undefined
  /** Which matching event, call, return or click, counted from this step; the first by default. */
  readonly nth?: number | undefined
  /** `webhook-late`: how many attempts are lost before one arrives. */
  readonly attempts?: number | undefined
  /** `webhook-late`: the story goes on without the event, instead of waiting for it before it calls the application. */
  readonly waits?: false | undefined
  /** Forged webhooks and unknown types: before or after the real one; both by default. */
  readonly when?: 'before' | 'after' | undefined
  /** `webhook-lost-answer` of a test command: the event comes again behind the next one, instead of at once. */
  readonly behindNext?: true | undefined
}

/** One thing that goes wrong: the values of a `disturb` step. */
export interface Disturbance extends DisturbanceTarget {
  readonly kind: DisturbanceKind
  /** `call-slow`: the delay of the answer. */
  readonly delayMs?: number | undefined
}

const FORGERIES = ['webhook-forged', 'webhook-unsigned', 'webhook-stale'] as const
export type Forgery = (typeof FORGERIES)[number]
export const isForgery = (kind: DisturbanceKind): kind is Forgery =>
  FORGERIES.some(forgery => forgery === kind)

/** The operation of a path: each id becomes `:id`. */
export function operationOf(method: string, path: string): string {
  const [route = '/'] = path.split('?')
  return `${method} ${route.replace(/\/[a-z]+_[0-9A-Za-z]{8,}(?=\/|$)/g, '/:id')}`
}

/** A program that calls again for as long as it gets no answer must get one before its own caller gives up. */
const LONGEST_OUTAGE_MS = 5000

/** A disturbance and whether it has happened. */
export interface Armed {
  readonly disturbance: Disturbance
  /** How many matching webhooks or calls came. */
  seen: number
  /** The id of the disturbed event, once it is known. */
  eventId?: string
  met: boolean
}

/** The disturbances of one run. Each happens to one webhook or one call. */
export class ArmedDisturbances {
  readonly all: Armed[] = []
  readonly #events = new Set<string>()
  #outage: { readonly disturbance: Disturbance; readonly since: number } | undefined

  arm(disturbance: Disturbance): void {
    this.all.push({ disturbance, seen: 0, met: false })
  }

  /** Returns what to do to a call that starts now. */
  ofCall(operation: string, subject: Subject = {}): Disturbance[] {
    const waiting = this.all.filter(
      ({ disturbance, met }) => !met && disturbance.call === operation && isAbout(disturbance, subject),
    )
    const own = waiting.filter(armed => this.#isIt(armed)).map(({ disturbance }) => disturbance)
    const begun = own.find(({ kind }) => kind === 'call-outage')
    if (begun) this.#outage = { disturbance: begun, since: performance.now() }
    const outage = this.#outage
    if (!outage || begun) return own
    if (performance.now() - outage.since < LONGEST_OUTAGE_MS) return [...own, outage.disturbance]
    this.endOutage()
    return own
  }

  /** The gateway is back. Returns whether it was away. */
  endOutage(): boolean {
    const wasAway = this.#outage !== undefined
    this.#outage = undefined
    return wasAway
  }

  /** A disturbance of a call has not happened after all. */
  cameToNothing(disturbance: Disturbance): void {
    for (const armed of this.all) if (armed.disturbance === disturbance) armed.met = false
  }

  /** Returns what happens as the payer returns; what depends on an event happens with that event. */
  ofReturn(): DisturbanceKind[] {
    return this.#ofKinds(RETURN_KINDS)
  }

  /** Returns how else a button is pressed. */
  ofClick(): DisturbanceKind[] {
    return this.#ofKinds(CLICK_KINDS)
  }

  #ofKinds(kinds: readonly DisturbanceKind[]): DisturbanceKind[] {
    const waiting = this.all.filter(
      ({ disturbance: { kind, event }, met }) => !met && event === undefined && kinds.includes(kind),
    )
    return waiting.filter(armed => this.#isIt(armed)).map(({ disturbance }) => disturbance.kind)
  }

  /** Returns what to do to a webhook that arrives. All attempts of an event get the same answer. */
  ofEvent(id: string, type: string, subject: Subject = {}): Armed[] {
    if (!this.#events.has(id)) {
      this.#events.add(id)
      for (const armed of this.all) {
        const { call, event, kind } = armed.disturbance
        if (armed.met || call !== undefined || kind === 'restart' || event !== type) continue
        if (isAbout(armed.disturbance, subject) && this.#isIt(armed)) armed.eventId = id
      }
    }
    return this.all.filter(({ eventId }) => eventId === id)
  }

  #isIt(armed: Armed): boolean {
    armed.seen += 1
    armed.met = armed.seen === (armed.disturbance.nth ?? 1)
    return armed.met
  }
}

/** Whether something is what a disturbance waits for. */
export const isAbout = (wanted: Subject, { account, reference }: Subject) =>
  (wanted.account ?? account) === account && (wanted.reference ?? reference) === reference

/** A member that no version of the API has yet, as a later version might add. */
export const UNKNOWN_MEMBER = {
  added_in_a_later_version: { since: '2031-01-01', rate: 1, note: 'ignore what you do not know & go on' },
}
