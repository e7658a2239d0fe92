/** What can go wrong around an application that must survive it. docs/surviving.md has a paragraph on each. */
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
  'answer-unknown-field',
] as const
export const KINDS = [...WEBHOOK_KINDS, ...CALL_KINDS, 'restart'] as const

export type Kind = (typeof KINDS)[number]

/** One thing that goes wrong, as a `disturb` step has it. */
export interface Disturbance {
  readonly kind: Kind
  /** The type of the webhook that it happens to. */
  readonly event?: string | undefined
  /** The call that it happens to, such as `POST /payment_intents`. */
  readonly call?: string | undefined
  /** Which of them, counted from the step on: the first, unless it says otherwise. */
  readonly nth?: number | undefined
  /** `webhook-late`: how many attempts are lost before one arrives. */
  readonly attempts?: number | undefined
  /** Forged webhooks: where they come, relative to the true one. Both, unless it says otherwise. */
  readonly when?: 'before' | 'after' | undefined
  /** `call-slow`: how long the answer takes. */
  readonly delayMs?: number | undefined
}

export const FORGERIES = ['webhook-forged', 'webhook-unsigned', 'webhook-stale'] as const
export type Forgery = (typeof FORGERIES)[number]
export const isForgery = (kind: Kind): kind is Forgery => FORGERIES.some(forgery => forgery === kind)

/** The operation of a path: ids make way for `:id`. */
export function operationOf(method: string, path: string): string {
  const [route = '/'] = path.split('?')
  return `${method} ${route.replace(/\/[a-z]+_[0-9A-Za-z]{8,}(?=\/|$)/g, '/:id')}`
}

/** A disturbance that waits for its moment, or has had it. */
export interface Armed {
  readonly disturbance: Disturbance
  /** How many of what it waits for have come. */
  seen: number
  /** The event that it happens to, once that is known. */
  eventId?: string
  met: boolean
}

/** The disturbances of one run. Each happens to one webhook or one call. */
export class ArmedDisturbances {
  readonly all: Armed[] = []
  readonly #events = new Set<string>()

  arm(disturbance: Disturbance): void {
    this.all.push({ disturbance, seen: 0, met: false })
  }

  /** A call begins: what is to happen to it. */
  ofCall(operation: string): Disturbance[] {
    const waiting = this.all.filter(({ disturbance, met }) => !met && disturbance.call === operation)
    return waiting.filter(armed => this.#isIt(armed)).map(({ disturbance }) => disturbance)
  }

  /** A webhook arrives: what is to happen to its event, at this attempt as at the first. */
  ofEvent(id: string, type: string): Armed[] {
    if (!this.#events.has(id)) {
      this.#events.add(id)
      for (const armed of this.all) {
        const { call, event, kind } = armed.disturbance
        if (!armed.met && call === undefined && kind !== 'restart' && event === type && this.#isIt(armed))
          armed.eventId = id
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

/** A member that no version so far has, as an additive change would bring it. */
export const UNKNOWN_MEMBER = {
  added_in_a_later_version: { since: '2031-01-01', note: 'ignore what you do not know' },
}
