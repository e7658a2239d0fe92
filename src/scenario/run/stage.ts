import { type AdvanceGoal, type AdvanceResult, ControlError } from '../../client/control-client.ts'
import { basicAuthorization } from '../../client/credentials.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { formatTimestamp, parseTimestamp } from '../../contract/timestamps.ts'
import type { Scenario } from '../schema/file.ts'
import { makeAccount, type RunAccount, Tracker } from './account.ts'
import type { PlayedApplication } from './played-application.ts'
import { Scope } from './scope.ts'
import type { Target } from './target.ts'

/** What the steps of one run share. */
export class Stage {
  readonly tracker: Tracker
  readonly scope: Scope
  /** The page of each payment that was seen: a payment that has ended keeps its page, but no longer shows its URL. */
  readonly pages = new Map<string, string>()
  virtual: boolean
  /** The merchant's application, if the file has one. */
  application: PlayedApplication | undefined
  #now: number
  readonly #start: number
  #uploads = 0
  #hasActivity = false

  private constructor(
    readonly scenario: Scenario,
    readonly target: Target,
    /** Only with a simulator. */
    readonly account: RunAccount | undefined,
    readonly run: string,
    now: number,
    virtual: boolean,
  ) {
    this.#now = now
    this.#start = now
    this.virtual = virtual
    this.tracker = new Tracker(scenario.data)
    this.scope = new Scope(() => ({ now: this.now, start: this.#start }))
    this.#setBuiltInNames()
  }

  static async open(scenario: Scenario, target: Target, run: string, webhookSecret?: string): Promise<Stage> {
    if (target.kind === 'gateway') return new Stage(scenario, target, undefined, run, Date.now(), false)
    const account = await makeAccount(scenario, target, run, webhookSecret)
    const { mode, now } = await startOf(account)
    return new Stage(
      scenario,
      target,
      account,
      account.merchant,
      parseTimestamp(now) ?? 0,
      mode === 'virtual',
    )
  }

  #setBuiltInNames(): void {
    const { account, target, scope } = this
    const keys = account ? account.keys[account.environment] : target.kind === 'gateway' ? target : undefined
    scope.set('run', this.run)
    scope.set('account', { id: account?.id ?? null, public_key: keys?.publicKey, base_url: target.baseUrl })
    for (const [name, value] of Object.entries(this.scenario.data.let ?? {}))
      scope.set(name, scope.resolve(value))
  }

  /** The account's time. A virtual clock is known without a request. */
  get now(): number {
    return this.virtual ? this.#now : Date.now()
  }

  get sinceStartMs(): number {
    return Math.max(0, this.now - this.#start)
  }

  get nowText(): string {
    return formatTimestamp(this.now)
  }

  arriveAt(now: string): void {
    this.#now = parseTimestamp(now) ?? this.#now
  }

  /** The account's control surface. Steps that need it were refused earlier if there is none. */
  get simulated(): RunAccount {
    if (!this.account) throw new Error('no simulator: the loader must refuse this step')
    return this.account
  }

  /** The application. Steps that need it were refused earlier if there is none. */
  get played(): PlayedApplication {
    if (!this.application) throw new Error('no application: the loader must refuse this step')
    return this.application
  }

  /** Notes that something may still be in progress, such as a webhook. */
  noteActivity(): void {
    this.#hasActivity = true
  }

  /**
   * Waits until everything that is due now is done, and every webhook that it caused has arrived. On a virtual clock,
   * each step starts from there, so that the result does not depend on timing.
   */
  async settle(): Promise<void> {
    if (!this.virtual || !this.account || !this.#hasActivity) return
    this.#hasActivity = false
    await this.advance({ by: '0s' })
  }

  /** Moves the account's clock, then waits until everything that was due has happened, including webhooks. */
  async advance(goal: AdvanceGoal): Promise<Answer<AdvanceResult>> {
    const answer = await this.simulated.control.clock.advance(goal).answer()
    this.arriveAt(answer.body.now)
    return answer
  }

  /** Remembers the URL of a payment's page from an answer. */
  remember(body: unknown): void {
    if (typeof body !== 'object' || body === null) return
    const { id, next_action: action } = body as { id?: unknown; next_action?: { url?: unknown } | null }
    if (typeof id === 'string' && typeof action?.url === 'string') this.pages.set(id, action.url)
  }

  /** Each upload has another boundary, so that no two bodies are equal by accident. */
  nextBoundary(): string {
    this.#uploads += 1
    return `paysim-boundary-${this.#uploads}`
  }

  credentials(keys: 'test' | 'live' | 'wrong' | 'none' | undefined): Record<string, string> {
    if (keys === 'none') return {}
    const { account, target } = this
    const basic = (publicKey: string, secretKey: string) => ({
      authorization: basicAuthorization(publicKey, secretKey),
    })
    if (target.kind === 'gateway')
      return basic(target.publicKey, keys === 'wrong' ? 'sk_test_wrong' : target.secretKey)
    const whose = keys === 'test' || keys === 'live' ? keys : this.simulated.environment
    const pair = account?.keys[whose]
    return basic(pair?.publicKey ?? '', keys === 'wrong' ? `sk_${whose}_wrong` : (pair?.secretKey ?? ''))
  }

  async close(): Promise<void> {
    if (!this.account) return
    const { inbox, merchant, simulator } = this.account
    inbox.close()
    await simulator.merchants.remove(merchant).catch(ignoreRefusal)
    if (this.target.kind === 'simulator') this.target.merchants.delete(merchant)
  }
}

/** A step of the scenario, or someone else, may have removed the merchant. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ControlError)) throw error
}

/** A virtual clock stands where it was set; a real one must be asked. */
async function startOf({ clock, control }: RunAccount): Promise<{ mode: string; now: string }> {
  const { mode, now } = typeof clock === 'string' ? { mode: clock } : clock
  const isKnown = mode === 'virtual' && typeof now === 'string' && parseTimestamp(now) !== undefined
  return isKnown ? { mode, now } : control.clock.get()
}
