import { ArmedDisturbances, type Disturbance, type Subject } from '../application/disturbance.ts'
import { type CallWatcher, GatewayProxy, type RecordedCall } from '../application/gateway-proxy.ts'
import type { WebhookReply } from '../application/request-once.ts'
import { HeldAnswer, type RecordedDelivery, WebhookRelay } from '../application/webhook-relay.ts'
import type { EventBody, WebhookMessage } from '../application/webhook-variants.ts'
import type { Contract } from '../contract/decisions.ts'
import type { ApplicationReport } from '../scenario/index.ts'
import type { PlacedDisturbance } from './kinds.ts'
import { type PaymentNames, recordIn } from './narrative.ts'

/** An account of the simulator, with its keys. */
export interface SuiteAccount {
  readonly id: string
  readonly authorizations: readonly string[]
}

/** The simulator of one run of a test command. */
export interface SuiteGateway {
  readonly url: string
  readonly contract: Contract
  /** All accounts, in the order of their creation. */
  accounts(): Promise<readonly SuiteAccount[]>
  /** Makes the gateway fire every timer of an account that is due now. */
  fireDueTimers(account: string): Promise<unknown>
}

/** A webhook that the simulator is about to send. */
export interface OutgoingWebhook {
  readonly account: string
  readonly secret: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

interface WebhookAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

type SendWebhook = (message: WebhookMessage) => Promise<WebhookAnswer>

/** The webhooks of one endpoint. */
interface Lane {
  readonly account: string
  readonly relay: WebhookRelay
  /** How the last request of an event ended, until the gateway is told. */
  readonly outcomes: Map<string, { readonly answer: WebhookAnswer } | { readonly cause: unknown }>
  send: SendWebhook
}

/** The end of a test command. */
export interface SuiteEnding {
  readonly status: number
  /** Why it was ended, or could not start. */
  readonly problem?: string
  readonly output: readonly string[]
}

/** The paths at which paysim's own receivers, those of the client libraries, take webhooks. No application uses them. */
const OWN_RECEIVER = /^\/(_paysim\/webhooks\/\d+|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** One run of a test command: what it and its programs call, which webhooks they get, and what is disturbed. */
export class SuiteRun {
  readonly #calls: RecordedCall[] = []
  readonly #deliveries: RecordedDelivery[] = []
  readonly #disturbances = new ArmedDisturbances()
  readonly #lanes = new Map<string, Lane>()
  readonly #heldAnswers = new Map<string, HeldAnswer>()
  readonly #names = new Map<string, string>()
  /** The account of each pair of keys. */
  readonly #keys = new Map<string, string>()
  readonly #references = new Map<unknown, string>()
  readonly #unread = new Set<RecordedCall>()
  #gateway: SuiteGateway | undefined
  #proxy: GatewayProxy | undefined
  #made = 0

  constructor(
    places: readonly PlacedDisturbance[],
    private readonly onActivity: () => void = () => {},
  ) {
    for (const { before: _, delay, payment: __, ...place } of places)
      this.#disturbances.arm({
        ...place,
        ...(delay === undefined ? {} : { delayMs: Number.parseInt(delay, 10) }),
      })
  }

  /** Stands between the simulator and what calls it. Returns the address to call. */
  async open(gateway: SuiteGateway): Promise<string> {
    this.#gateway = gateway
    for (const { id } of await gateway.accounts()) this.#names.set(id, id)
    this.#proxy = await GatewayProxy.open(gateway.url)
    this.#proxy.watcher = this.#watcher(gateway)
    return this.#proxy.url
  }

  async close(): Promise<void> {
    await this.#proxy?.close()
  }

  #watcher({ contract, fireDueTimers }: SuiteGateway): CallWatcher {
    return {
      step: 0,
      calls: this.#calls,
      contract,
      onActivity: this.onActivity,
      disturbCall: call => this.#disturbCall(call),
      deliverWebhooks: async call => {
        const account = await this.#accountOf(call)
        return account !== undefined && this.#heldAnswerOf(account).letGo(() => fireDueTimers(account))
      },
      cameToNothing: disturbance => this.#disturbances.cameToNothing(disturbance),
    }
  }

  async #disturbCall(call: RecordedCall): Promise<readonly Disturbance[]> {
    this.#unread.add(call)
    const account = await this.#accountOf(call)
    call.subject = this.#subject(account, this.#referenceOf(call))
    const disturbances = this.#disturbances.ofCall(call.operation, call.subject)
    // On a real clock, the event may come before the gateway's own answer.
    if (account !== undefined && disturbances.some(({ kind }) => kind === 'webhook-early'))
      this.#heldAnswerOf(account).hold()
    return disturbances
  }

  /** The webhooks of an account may go to several endpoints, which are unknown until the first one comes. */
  #heldAnswerOf(account: string): HeldAnswer {
    const known = this.#heldAnswers.get(account)
    const answer = known ?? new HeldAnswer()
    if (!known) this.#heldAnswers.set(account, answer)
    return answer
  }

  #subject(account: string | undefined, reference: string | undefined): Subject {
    const name = account === undefined ? 'no account' : this.#nameOf(account)
    return { account: name, ...(reference === undefined ? {} : { reference }) }
  }

  /** Accounts that the command makes have other ids in each run, so they are numbered. */
  #nameOf(account: string): string {
    const known = this.#names.get(account)
    if (known !== undefined) return known
    const dot = account.lastIndexOf('.')
    const [merchant, environment] = [account.slice(0, dot), account.slice(dot + 1)]
    this.#made += 1
    for (const one of ['test', 'live'])
      this.#names.set(`${merchant}.${one}`, `account ${this.#made}${one === 'test' ? '' : ' (live)'}`)
    return this.#names.get(account) ?? `account ${this.#made} (${environment})`
  }

  async #accountOf({ headers }: RecordedCall): Promise<string | undefined> {
    const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization')
    const authorization = at < 0 ? undefined : headers[at + 1]
    if (authorization === undefined) return undefined
    if (!this.#keys.has(authorization))
      for (const { id, authorizations } of (await this.#gateway?.accounts()) ?? []) {
        // A merchant has its place from the moment when it was seen, even if it is removed.
        this.#nameOf(id)
        for (const one of authorizations) this.#keys.set(one, id)
      }
    return this.#keys.get(authorization)
  }

  /** The merchant's own name of the record that a call is about. */
  #referenceOf({ body, path }: RecordedCall): string | undefined {
    const { merchant_reference: reference } = recordIn(body)
    if (typeof reference === 'string') return reference
    this.#readAnswers()
    return this.#references.get(path.split('?')[0]?.split('/')[2])
  }

  #readAnswers(): void {
    for (const call of this.#unread) {
      if (call.endedAt === undefined) continue
      this.#unread.delete(call)
      this.#note(recordIn(call.answer ?? ''))
    }
  }

  #note({ id, merchant_reference: reference }: PaymentNames): void {
    if (typeof reference === 'string') this.#references.set(id, reference)
  }

  /** Sends a webhook, disturbed or not. */
  async relay(webhook: OutgoingWebhook, send: SendWebhook): Promise<WebhookAnswer> {
    const { url, headers, body } = webhook
    if (OWN_RECEIVER.test(new URL(url).pathname)) return send({ headers, body })
    const lane = this.#laneOf(webhook, send)
    lane.send = send
    const id = headers['webhook-id'] ?? ''
    const { status, reset, headers: answered } = await lane.relay.take({ headers, body })
    const outcome = lane.outcomes.get(id)
    lane.outcomes.delete(id)
    if (reset) throw outcome && 'cause' in outcome ? outcome.cause : new Error('the connection was reset')
    const { body: shown = '' } = outcome && 'answer' in outcome ? outcome.answer : {}
    return { status, retryAfter: answered?.['retry-after'], body: shown }
  }

  #laneOf({ account, url, secret }: OutgoingWebhook, send: SendWebhook): Lane {
    const key = `${account} ${url}`
    const known = this.#lanes.get(key)
    if (known) return known
    const outcomes: Lane['outcomes'] = new Map()
    const relay = new WebhookRelay({
      endpoint: url,
      post: async message => {
        const id = message.headers['webhook-id'] ?? ''
        try {
          const answer = await lane.send(message)
          outcomes.set(id, { answer })
          return replyOf(answer)
        } catch (cause) {
          outcomes.set(id, { cause })
          return { status: 0, answer: cause instanceof Error ? cause.message : String(cause) }
        }
      },
      secret,
      retries: (this.#gateway?.contract['events.retry'].length ?? 1) - 1,
      disturbances: this.#disturbances,
      deliveries: this.#deliveries,
      step: () => 0,
      payerReturns: async () => {},
      arrivesLate: async () => {},
      heldAnswer: this.#heldAnswerOf(account),
      // What the application believes, the tests of the command must see.
      forging: async deliver => {
        await deliver()
        return async () => {}
      },
      onActivity: this.onActivity,
      subjectOf: event => this.#subject(account, this.#referenceIn(event)),
      repeatsSoon: true,
    })
    const lane: Lane = { account, relay, outcomes, send }
    this.#lanes.set(key, lane)
    return lane
  }

  #referenceIn({ data }: EventBody): string | undefined {
    this.#readAnswers()
    this.#note(data)
    return this.#references.get(data.id)
  }

  /** What was recorded, for the reports. */
  report(output: readonly string[]): ApplicationReport {
    const unmet = this.#disturbances.all.filter(({ met }) => !met)
    return {
      calls: this.#calls,
      deliveries: this.#deliveries,
      restarts: [],
      visits: [],
      decided: [],
      violations: [],
      isDisturbed: this.#disturbances.all.length > unmet.length,
      unmet: unmet.map(({ disturbance }) => disturbance),
      isOver: true,
      isTainted: false,
      isHasty: false,
      output,
      looks: [],
      payments: undefined,
    }
  }
}

const replyOf = ({ status, body, retryAfter }: WebhookAnswer): WebhookReply => ({
  status,
  answer: body,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})
