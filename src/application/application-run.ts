import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import type { Contract } from '../contract/decisions.ts'
import { LIMITS } from '../contract/limits.ts'
import type { ReceivedAnswer } from '../contract/wire-answer.ts'
import { type Armed, ArmedDisturbances, type Disturbance, type Forgery } from './disturbance.ts'
import type { CallWatcher, GatewayProxy, RecordedCall } from './gateway-proxy.ts'
import { Payer, type RecordedVisit, type WayBack } from './payer.ts'
import { type ApplicationRequest, isTimedOut, postWebhook } from './request-once.ts'
import {
  HeldAnswer,
  isSigned,
  type RecordedDelivery,
  type RelayAnswer,
  WebhookRelay,
} from './webhook-relay.ts'
import type { EventBody, WebhookMessage } from './webhook-variants.ts'

/** Something that no correct application does, even when things around it go wrong. */
export interface Violation {
  readonly what: 'ended' | 'error answer' | 'forgery believed' | 'second payment'
  /** A sentence for the report. */
  readonly message: string
  /** The same text for the same violation in another run. */
  readonly sameAs: string
}

export interface RunSettings {
  /** The secret that signs the account's webhooks. */
  readonly secret: string
  /** The gateway's decisions, such as the form of its errors and how often it repeats a webhook. */
  readonly contract: Contract
  readonly authorization?: CallWatcher['authorization']
  /** Makes the gateway fire every timer that is due now. */
  readonly fireDueTimers: () => Promise<unknown>
  /** Is called before an event that was held back reaches the application, with the record as it was then. */
  readonly arrivesLate?: ((record: EventBody['data']) => Promise<void>) | undefined
  /** Where the payer of a payment returns to. */
  readonly wayBackOf?: ((payment: string) => Promise<WayBack | undefined>) | undefined
  /** Is called when a request of the application, or one to it, begins or ends. */
  readonly onActivity?: (() => void) | undefined
  /** Reads how the state differs from what the end of the scenario expects. Equal states give equal texts. */
  readonly look: Look
}

/** Undefined if the application did not answer. */
type Look = () => Promise<readonly string[] | undefined>

/** A kill of the application, until it was ready again. */
export interface RecordedRestart {
  readonly startedAt: number
  endedAt: number
}

/** What a run needs from its application. */
interface RunTarget {
  readonly url: string
  readonly webhookUrl: string
  /** @internal */
  readonly dispatcher: Dispatcher
  readonly unexpectedEnd: string | undefined
  ask(request: ApplicationRequest, withinMs?: number): Promise<ReceivedAnswer>
  restart(): Promise<void>
}

/** One run of a scenario with the application: its calls, the webhooks sent to it, and what was disturbed. */
export class ApplicationRun implements CallWatcher {
  readonly calls: RecordedCall[] = []
  readonly deliveries: RecordedDelivery[] = []
  readonly disturbances = new ArmedDisturbances()
  readonly violations: Violation[] = []
  readonly relay: WebhookRelay
  readonly payer: Payer
  readonly authorization: CallWatcher['authorization']
  readonly contract: Contract
  /** The current step of the scenario, counted from 0. */
  step = 0
  /** When it was killed and started again. */
  readonly restarts: RecordedRestart[] = []
  readonly #heldAnswer = new HeldAnswer()
  readonly #suspicions: Suspicion[] = []
  #seesCalls = false

  constructor(
    private readonly application: RunTarget,
    private readonly settings: RunSettings,
  ) {
    this.authorization = settings.authorization
    this.contract = settings.contract
    this.payer = new Payer({
      shop: () => application.url,
      ask: request => this.ask(request),
      wayBackOf: async payment => settings.wayBackOf?.(payment),
      disturbances: this.disturbances,
      step: () => this.step,
      judge: visit => this.#judgeVisit(visit),
    })
    this.relay = new WebhookRelay({
      post: message =>
        postWebhook(
          application.webhookUrl,
          message,
          application.dispatcher,
          this.#hangs ? HANGING_MS : LIMITS.webhookTimeoutMs,
        ),
      secret: settings.secret,
      retries: settings.contract['events.retry'].length - 1,
      disturbances: this.disturbances,
      deliveries: this.deliveries,
      step: () => this.step,
      heldAnswer: this.#heldAnswer,
      forging: deliver => this.#watchForgery(deliver),
      payerReturns: payment => this.payer.comesBack(payment),
      arrivesLate: async record => settings.arrivesLate?.(record),
      onActivity: () => this.onActivity(),
    })
  }

  onActivity(): void {
    this.settings.onActivity?.()
  }

  async ask(request: ApplicationRequest, withinMs?: number): Promise<ReceivedAnswer> {
    this.onActivity()
    const answer = await this.application.ask(request, withinMs)
    this.onActivity()
    return answer
  }

  /** Whether this run has disturbances. */
  get isDisturbed(): boolean {
    return this.disturbances.all.length > 0
  }

  get unmet(): Disturbance[] {
    return this.disturbances.all.filter(({ met }: Armed) => !met).map(({ disturbance }) => disturbance)
  }

  disturbCall({ operation }: RecordedCall): Disturbance[] {
    return this.disturbances.ofCall(operation)
  }

  deliverWebhooks(): Promise<boolean> {
    this.#heldAnswer.hold()
    return this.#heldAnswer.letGo(this.settings.fireDueTimers)
  }

  cameToNothing(disturbance: Disturbance): void {
    this.disturbances.cameToNothing(disturbance)
  }

  async take(message: WebhookMessage): Promise<RelayAnswer> {
    const from = this.deliveries.length
    const isTrue = isSigned(message, this.settings.secret)
    const answer = await this.relay.take(message)
    if (isTrue) for (const delivery of this.deliveries.slice(from)) this.#judge(delivery)
    return answer
  }

  /** Sends the latest events of a type again, and returns how many there were. */
  async sendAgain(type: string): Promise<number> {
    const from = this.deliveries.length
    await this.relay.sendAgain(type)
    const again = this.deliveries.slice(from)
    for (const delivery of again) this.#judge(delivery)
    return again.length
  }

  /** It did not answer a valid webhook, so each further attempt would probably wait in vain. */
  get #hangs(): boolean {
    return this.violations.some(({ what }) => what === 'error answer') && this.deliveries.some(isTimedOut)
  }

  /** Kills it and starts it again. */
  async restart(): Promise<void> {
    // A webhook that was under way fails before the application is ready again.
    const restart = { startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY }
    this.restarts.push(restart)
    await this.application.restart()
    restart.endedAt = performance.now()
  }

  /** Waits until nothing passed between the gateway and the application for so long, but not longer than `mostMs`. */
  async idleFor(forMs: number, mostMs: number): Promise<void> {
    const deadline = performance.now() + mostMs
    for (;;) {
      const now = performance.now()
      const restsAt = Math.min(deadline, this.#lastActiveAt + forMs)
      if (now >= restsAt) return
      await pause(restsAt - now)
    }
  }

  get #lastActiveAt(): number {
    const passed = [...this.calls, ...this.deliveries, ...this.restarts]
    return Math.max(
      0,
      ...passed.map(({ startedAt, endedAt = performance.now() }) => Math.max(startedAt, endedAt)),
    )
  }

  /**
   * A 5xx answer to a valid webhook is a violation, unless a disturbed call of the application was in progress. So is no
   * answer: some servers close the connection when a handler throws.
   */
  #judge({ status, sent, type, startedAt, endedAt, isEarly, answer }: RecordedDelivery): void {
    if ((status > 0 && status < 500) || isEarly || sent.startsWith('webhook-')) return
    if (this.#isExcused(startedAt, endedAt)) return
    this.#blame(status, answer, `a valid webhook ${type}`, type)
  }

  /** What a payer sends must be answered, too. */
  #judgeVisit({ what, request, status, startedAt, endedAt, answer }: RecordedVisit): void {
    if ((status > 0 && status < 500) || this.#isExcused(startedAt, endedAt)) return
    this.#blame(status, answer, VISIT_WORDS[what](request), what === 'click' ? request : what)
  }

  #blame(status: number, answer: string, to: string, subject: string): void {
    const shown = answer === '' ? '' : `: ${answer.slice(0, 200)}`
    const did = status === 0 ? 'did not answer' : `answered ${status} to`
    this.violations.push({
      what: 'error answer',
      message: `it ${did} ${to}${shown}`,
      sameAs: `error answer ${subject}`,
    })
  }

  /** Whether the application could not answer, because it was killed or a call of it was disturbed. */
  #isExcused(startedAt: number, endedAt: number): boolean {
    return (
      startedAt <= (this.restarts.at(-1)?.endedAt ?? 0) ||
      this.calls.some(
        call =>
          call.disturbed !== undefined && call.startedAt <= endedAt && this.#recoveredAt(call) >= startedAt,
      )
    )
  }

  /**
   * When the application recovered from a disturbed call: when the same call got an answer. It may retry until then.
   */
  #recoveredAt(disturbed: RecordedCall): number {
    const again = this.calls.find(
      ({ operation, startedAt, status = 0 }) =>
        operation === disturbed.operation &&
        startedAt > disturbed.startedAt &&
        status > 0 &&
        status < 500 &&
        status !== 429,
    )
    return again ? (again.endedAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
  }

  /**
   * An application may take any webhook as a knock, and read the payment from the API: then its state changes to the
   * truth. So it is blamed only if the true event changes that state again, or if the state is wrong at the end.
   */
  async #watchForgery(deliver: () => Promise<RecordedDelivery>): Promise<() => Promise<void>> {
    const nothing = async () => {}
    const { look } = this.settings
    const before = await look()
    const { status, type, sent } = await deliver()
    if (!before || status < 200 || status >= 300) return nothing
    const changed = await this.#changedSince(before)
    if (changed.length === 0) return nothing
    const violation: Violation = {
      what: 'forgery believed',
      message: `it answered ${status} to a ${type} that ${FORGERY_WORDS[sent] ?? 'is not genuine'}, and its state changed: ${changed.join('; ')}`,
      sameAs: 'forgery believed',
    }
    const suspicion = { changed, violation }
    this.#suspicions.push(suspicion)
    return async () => {
      const now = await look()
      if (now && changed.some(one => !now.includes(one))) this.#believed(suspicion)
    }
  }

  /** How the state differs from before, once it stays the same: the application may still be reading the payment. */
  async #changedSince(before: readonly string[]): Promise<string[]> {
    const changes = async () => (await this.settings.look())?.filter(one => !before.includes(one)) ?? []
    let last = await changes()
    for (let left = MOST_LOOKS; last.length > 0 && left > 0; left--) {
      await pause(LOOK_PAUSE_MS)
      const next = await changes()
      if (next.join() === last.join()) return next
      last = next
    }
    return last
  }

  #believed(suspicion: Suspicion): void {
    this.#suspicions.splice(this.#suspicions.indexOf(suspicion), 1)
    this.violations.push(suspicion.violation)
  }

  /** Call this at the end of the story: a state that a forgery brought about, and that is wrong, came from it. */
  async recordBelieved(): Promise<void> {
    const now = this.#suspicions.length > 0 ? await this.settings.look() : undefined
    for (const suspicion of [...this.#suspicions])
      if (suspicion.changed.some(one => now?.includes(one))) this.#believed(suspicion)
  }

  /** Whether the story goes on without an event that it would wait for otherwise. */
  get goesOn(): boolean {
    return this.disturbances.all.some(({ disturbance }) => disturbance.waits === false)
  }

  /** Whether it asked for more payments, or for two with one merchant_reference, as far as its calls can be seen. */
  mayHavePaidMoreThan(usual: number | undefined): boolean {
    if (!this.#seesCalls) return true
    const references = this.calls.flatMap(({ method, body }) =>
      method === 'POST' ? [...body.matchAll(REFERENCE)].map(([, reference]) => reference) : [],
    )
    return new Set(references).size < references.length || references.length > (usual ?? references.length)
  }

  /** Call this at the end of the scenario. */
  recordExit(): void {
    const { unexpectedEnd } = this.application
    if (unexpectedEnd !== undefined)
      this.violations.push({
        what: 'ended',
        message: `it ${unexpectedEnd} during the run`,
        sameAs: 'ended',
      })
  }

  /** Assigns the calls that pass through the proxy to this run. */
  attach(proxy: GatewayProxy): void {
    proxy.watcher = this
    this.#seesCalls = true
  }
}

const HANGING_MS = 1000

/** A state that a forged webhook seems to have changed. */
interface Suspicion {
  readonly changed: readonly string[]
  readonly violation: Violation
}

/** A state that changes is looked at again until it stays the same, for two seconds at most. */
const LOOK_PAUSE_MS = 200
const MOST_LOOKS = 10

const VISIT_WORDS: { readonly [W in RecordedVisit['what']]: (request: string) => string } = {
  return: request => `the payer who returned (${request})`,
  'look ahead': request => `a program that looked at the payer's link (${request})`,
  click: request => `a press of the button (${request})`,
}

const REFERENCE = /"merchant_reference"\s*:\s*("(?:[^"\\]|\\.)*")/g

const FORGERY_WORDS: Readonly<Record<string, string>> = {
  'webhook-forged': 'was signed with another secret',
  'webhook-unsigned': 'has no signature',
  'webhook-stale': 'was signed a week ago',
} satisfies { readonly [F in Forgery]: string }
