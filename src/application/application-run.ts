import { type Armed, ArmedDisturbances, type Disturbance } from './disturbance.ts'
import type { CallWatcher, GatewayProxy, RecordedCall } from './gateway-proxy.ts'
import { isSigned, type RecordedDelivery, type RelayAnswer, WebhookRelay } from './webhook-relay.ts'
import type { WebhookMessage } from './webhook-variants.ts'

/** What an application did that none should do, whatever went wrong around it. */
export interface Misdeed {
  readonly what: 'ended' | 'error answer' | 'forgery believed' | 'second payment'
  /** In words, for the report. */
  readonly message: string
  /** The same for the same fault of the application in another run. */
  readonly sameAs: string
}

export interface RunSettings {
  /** What the webhooks of the account are signed with. */
  readonly secret: string
  readonly authorization?: CallWatcher['authorization']
  /** Makes the gateway do all that is due now. */
  readonly doWhatIsDue: () => Promise<unknown>
  /** What the story expects of the application's state in the end, as it is now: the same text for the same state. */
  readonly look: () => Promise<{ readonly state: string; readonly isAsExpected: boolean }>
}

/** What a run needs to know of its application. */
interface Party {
  readonly webhookUrl: string
  readonly unexpectedEnd: string | undefined
}

/** One story that an application plays in: what it asked, what it was sent, what went wrong around it. */
export class ApplicationRun implements CallWatcher {
  readonly calls: RecordedCall[] = []
  readonly deliveries: RecordedDelivery[] = []
  readonly disturbances = new ArmedDisturbances()
  readonly misdeeds: Misdeed[] = []
  readonly relay: WebhookRelay
  readonly authorization: CallWatcher['authorization']
  /** The step of the story that is being played, counted from 0. */
  step = 0

  constructor(
    private readonly application: Party,
    private readonly settings: RunSettings,
  ) {
    this.authorization = settings.authorization
    this.relay = new WebhookRelay({
      url: () => application.webhookUrl,
      secret: settings.secret,
      disturbances: this.disturbances,
      deliveries: this.deliveries,
      step: () => this.step,
      forging: deliver => this.#watchForgery(deliver),
    })
  }

  /** Whether something goes, or went, wrong on purpose. */
  get isDisturbed(): boolean {
    return this.disturbances.all.length > 0
  }

  get unmet(): Disturbance[] {
    return this.disturbances.all.filter(({ met }: Armed) => !met).map(({ disturbance }) => disturbance)
  }

  disturbCall(operation: string): Disturbance[] {
    return this.disturbances.ofCall(operation)
  }

  bringWebhooks(): Promise<void> {
    return this.relay.bringEarly(this.settings.doWhatIsDue)
  }

  async take(message: WebhookMessage): Promise<RelayAnswer> {
    const from = this.deliveries.length
    const isTrue = isSigned(message, this.settings.secret)
    const answer = await this.relay.take(message)
    if (isTrue) for (const delivery of this.deliveries.slice(from)) this.#judge(delivery)
    return answer
  }

  /** A server error in answer to a good webhook counts, unless the gateway failed the application meanwhile. */
  #judge({ status, sent, type, startedAt, endedAt, isEarly, answer }: RecordedDelivery): void {
    if (status < 500 || isEarly || sent.startsWith('webhook-')) return
    const failed = this.calls.some(
      call =>
        call.disturbed !== undefined && call.startedAt <= endedAt && this.#recoveredAt(call) >= startedAt,
    )
    if (failed) return
    const shown = answer === '' ? '' : `: ${answer.slice(0, 200)}`
    this.misdeeds.push({
      what: 'error answer',
      message: `it answered ${status} to a valid webhook ${type}${shown}`,
      sameAs: `error answer ${type}`,
    })
  }

  /** What was disturbed is over once the application got an answer to the same call: until then it tries again. */
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

  async #watchForgery(deliver: () => Promise<RecordedDelivery>): Promise<void> {
    const before = await this.settings.look()
    const { status, type, sent } = await deliver()
    if (status < 200 || status >= 300) return
    const after = await this.settings.look()
    if (after.isAsExpected || after.state === before.state) return
    this.misdeeds.push({
      what: 'forgery believed',
      message: `it answered ${status} to a ${type} that ${FORGERY_WORDS[sent] ?? 'is no true one'}, and believed it: ${after.state}`,
      sameAs: 'forgery believed',
    })
  }

  /** To be called at the end of the story. */
  noteEnd(): void {
    const { unexpectedEnd } = this.application
    if (unexpectedEnd !== undefined)
      this.misdeeds.push({ what: 'ended', message: `it ${unexpectedEnd} during the story`, sameAs: 'ended' })
  }

  /** Starts to be whom the application's calls belong to. */
  attach(proxy: GatewayProxy): void {
    proxy.watcher = this
  }

  close(): Promise<void> {
    return this.relay.close()
  }
}

const FORGERY_WORDS: Readonly<Record<string, string>> = {
  'webhook-forged': 'somebody without the secret signed',
  'webhook-unsigned': 'nobody signed',
  'webhook-stale': 'was signed a week ago',
}
