import type { Answer } from '../../client/answer-type.ts'
import { type AdvanceGoal, type AdvanceResult, ControlError } from '../../client/control-client.ts'
import { formatTimestamp, parseTimestamp } from '../../contract/timestamps.ts'
import type { Scenario } from '../scenario.ts'
import { makeAccount, type RunAccount } from './account.ts'
import type { PlayedApplication } from './played-application.ts'
import { Scope } from './scope.ts'
import type { Target } from './target.ts'
import { Tracker } from './tracker.ts'

/** Where one run of one scenario plays. */
export class Stage {
  readonly tracker: Tracker
  readonly scope: Scope
  /** The pages that payments were seen with: a payment that ended has a page, and says its address no more. */
  readonly pages = new Map<string, string>()
  virtual: boolean
  /** The merchant's application, where the file names one. */
  application: PlayedApplication | undefined
  #now: number
  readonly #start: number
  #uploads = 0
  #stirred = false

  private constructor(
    readonly scenario: Scenario,
    readonly target: Target,
    /** Only in a simulator. */
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
    this.#nameWhatIsThere()
  }

  static async open(scenario: Scenario, target: Target, run: string, webhookSecret?: string): Promise<Stage> {
    if (target.kind === 'gateway') return new Stage(scenario, target, undefined, run, Date.now(), false)
    const account = await makeAccount(scenario, target, run, webhookSecret)
    const clock = await account.control.clock.get()
    const now = parseTimestamp(clock.now) ?? 0
    return new Stage(scenario, target, account, account.merchant, now, clock.mode === 'virtual')
  }

  #nameWhatIsThere(): void {
    const { account, target, scope } = this
    const keys = account ? account.keys[account.environment] : target.kind === 'gateway' ? target : undefined
    scope.set('run', this.run)
    scope.set('account', { id: account?.id ?? null, public_key: keys?.publicKey, base_url: target.baseUrl })
    for (const [name, value] of Object.entries(this.scenario.data.let ?? {}))
      scope.set(name, scope.resolve(value))
  }

  /** The account's time. A standing clock is known without asking. */
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

  /** The control surface of the account: steps that need it were refused where there is none. */
  get simulated(): RunAccount {
    if (!this.account) throw new Error('a step that needs a simulator got past the check')
    return this.account
  }

  /** The application: steps that need it were refused where there is none. */
  get played(): PlayedApplication {
    if (!this.application) throw new Error('a step that needs an application got past the check')
    return this.application
  }

  /** Something was set going that may not have ended: a webhook is on its way. */
  stir(): void {
    this.#stirred = true
  }

  /**
   * All that is due now is done, and every webhook that it caused has come. On standing time a story goes on from
   * there alone: what is on its way would else meet the next step or not, as it happens.
   */
  async settle(): Promise<void> {
    if (!this.virtual || !this.account || !this.#stirred) return
    this.#stirred = false
    await this.advance({ by: '0s' })
  }

  /** Moves the account's clock. When it returns, all that was due has happened, webhooks included. */
  async advance(goal: AdvanceGoal): Promise<Answer<AdvanceResult>> {
    const answer = await this.simulated.control.clock.advance(goal).answer()
    this.arriveAt(answer.body.now)
    return answer
  }

  /** The page of a payment, as an answer names it. */
  remember(body: unknown): void {
    if (typeof body !== 'object' || body === null) return
    const { id, next_action: action } = body as { id?: unknown; next_action?: { url?: unknown } | null }
    if (typeof id === 'string' && typeof action?.url === 'string') this.pages.set(id, action.url)
  }

  /** Another boundary for each upload: a body never repeats by accident. */
  nextBoundary(): string {
    this.#uploads += 1
    return `paysim-boundary-${this.#uploads}`
  }

  credentials(keys: 'test' | 'live' | 'wrong' | 'none' | undefined): Record<string, string> {
    if (keys === 'none') return {}
    const { account, target } = this
    const basic = (publicKey: string, secretKey: string) => ({
      authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
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

/** A step of the scenario, or somebody else, may have removed the merchant. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ControlError)) throw error
}
