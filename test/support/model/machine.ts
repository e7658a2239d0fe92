import { resolveContract } from '../../../src/contract/resolve-contract.ts'
import type { CheckoutMode } from '../../../src/contract/statuses.ts'
import { indexCatalogue, type RouteEntry } from '../../../src/domain/catalogue.ts'
import type { Actor, ClockSetting, Command } from '../../../src/domain/commands.ts'
import type { Entry } from '../../../src/domain/events.ts'
import { compileRule, type Rule } from '../../../src/domain/rules/rule.ts'
import type { World } from '../../../src/domain/world.ts'
import { Account, type Outcome } from '../../../src/engine/account/account.ts'
import { Rendering } from '../../../src/engine/account/rendering.ts'
import { RealTime } from '../../../src/engine/time/real-time.ts'
import { forgetRecords } from '../engine/forget-records.ts'
import type { Shelf } from './journals.ts'
import { CATALOGUES } from './provider.ts'
import type { ANSWERS } from './steps.ts'

export type Answer = (typeof ANSWERS)[number]
export interface Attempt {
  readonly delivery: string
  readonly attempt: number
}

/** Checks something after each entry of the journal, and after each step of the history. */
export interface Watch {
  entry?(entry: Entry, machine: Machine): void
  step?(machine: Machine): void
}

export const CONTRACT = resolveContract()
const SERVER_CATALOGUE = indexCatalogue(CATALOGUES[0] ?? { providers: [], methods: [], routes: [] })
export const SERVER_RULES: readonly Rule[] = [
  {
    match: { kind: 'payment' as const, merchant_reference: 'a.b' },
    receipt: [{ verdict: 'reject' as const }],
  },
].map(compileRule)
const FIRST_MOMENT = Date.UTC(2026, 0, 1)

/** An account whose surroundings the history controls: wall clocks, receivers and crashes. */
export class Machine {
  checkoutModes: readonly CheckoutMode[] = ['hosted', 'merchant']
  /** The answers of each endpoint's receiver, in order. */
  readonly receivers = new Map<string, { answers: readonly Answer[]; heard: number }>()
  /** Attempts that no receiver has answered yet. */
  readonly open: Attempt[] = []
  /** The route of each intent, as the catalogue had it when it was frozen. */
  readonly frozen = new Map<string, RouteEntry>()
  #wall = FIRST_MOMENT
  #account!: Account
  #rendering!: Rendering

  private constructor(
    private readonly shelf: Shelf,
    private readonly watches: readonly Watch[],
  ) {}

  static async start(shelf: Shelf, watches: readonly Watch[]): Promise<Machine> {
    const machine = new Machine(shelf, watches)
    await machine.#begin()
    machine.setClock(null)
    return machine
  }

  get account(): Account {
    return this.#account
  }

  get world(): World {
    return this.#account.world
  }

  /** The routes of the catalogue in force. */
  get routes(): readonly RouteEntry[] {
    return (this.world.catalogue ?? SERVER_CATALOGUE).data.routes
  }

  get rendering(): Rendering {
    return this.#rendering
  }

  async #begin(): Promise<void> {
    this.#account = new Account({
      id: 'acme.test',
      environment: 'test',
      seed: 'a seed',
      secret: () => 'a seed',
      time: new RealTime({ wall: () => this.#wall, monotonic: () => this.#wall }),
      outerContext: () => ({
        contract: CONTRACT,
        merchantName: 'Acme',
        checkoutModes: this.checkoutModes,
        catalogue: SERVER_CATALOGUE,
        rules: SERVER_RULES,
        webhookBody: event => this.#rendering.event(event),
      }),
    })
    this.#rendering = new Rendering(this.#account, CONTRACT, () => 'http://localhost')
    const { journal, checkpoints } = await this.shelf.open(this.#account)
    this.#account.onEntry(entry => this.#onEntry(entry))
    this.#account.open(journal, 0, checkpoints)
    this.#account.fireDue()
  }

  #onEntry(entry: Entry): void {
    for (const event of entry.events) {
      if (event.type === 'AttemptStarted') this.#send(event.delivery)
      if (event.type === 'RouteFrozen') {
        const route = this.routes.find(({ id }) => id === event.route.id)
        if (route) this.frozen.set(event.payment, route)
      }
    }
    for (const watch of this.watches) watch.entry?.(entry, this)
  }

  #send(delivery: string): void {
    this.open.push({ delivery, attempt: this.world.deliveries.get(delivery)?.attempts.length ?? 0 })
  }

  /** Each command reads what it decides about from where it is stored. */
  execute(command: Command, by: Actor): Outcome {
    forgetRecords()
    return this.#account.execute(command, by)
  }

  /** Continues until nothing is due, and every receiver that answers has answered. */
  async quiet(): Promise<void> {
    do {
      forgetRecords()
      await this.#account.catchUp()
    } while (await this.#answerOne())
  }

  async #answerOne(): Promise<boolean> {
    for (const attempt of this.open) {
      const endpoint = this.world.deliveries.get(attempt.delivery)?.endpointId ?? ''
      const receiver = this.receivers.get(endpoint)
      const answer = receiver?.answers[receiver.heard % receiver.answers.length] ?? 200
      if (answer === 'slow') continue
      if (receiver) receiver.heard++
      await this.answer(attempt, answer)
      return true
    }
    return false
  }

  async answer(attempt: Attempt, answer: Exclude<Answer, 'slow'>): Promise<Outcome> {
    const at = this.open.indexOf(attempt)
    if (at !== -1) this.open.splice(at, 1)
    const result = {
      status: answer === 'reset' ? null : answer,
      error: answer === 'reset' ? 'ECONNRESET' : null,
      retryAfterMs: answer === 429 ? 7000 : null,
      body: '',
      timestamp: 0,
      signature: '',
    }
    const command = { type: 'RecordAttempt', ...attempt, result } as const
    return this.execute(command, 'courier')
  }

  /** A virtual clock stops at each timer on the way. A running clock may pass several timers at once. */
  async advance(to: number): Promise<void> {
    const { account } = this
    await this.quiet()
    if (account.clock.mode === 'real') {
      this.#wall += account.clock.waitFor(to) ?? 0
      return this.quiet()
    }
    for (let { next } = this.world.timers; next && next.dueAt <= to; next = this.world.timers.next) {
      account.clock.jump(next.dueAt)
      await this.quiet()
    }
    account.setClock(account.clock.change({ mode: 'virtual', at: Math.max(to, account.now) }))
  }

  /** Null makes the clock stand still. */
  setClock(rate: number | null): void {
    const { clock } = this.#account
    const setting: ClockSetting = clock.change(rate === null ? { mode: 'virtual' } : { mode: 'real', rate })
    this.#account.setClock(setting)
  }

  /** Ends the process, and starts another one on its data. */
  async restart(tornBytes: number): Promise<void> {
    await this.#account.journal.durable(this.world.seq)
    await this.#account.close()
    await this.shelf.tear(tornBytes)
    this.open.length = 0
    await this.#begin()
    for (const { id, status } of this.world.deliveries.values()) if (status === 'attempting') this.#send(id)
  }

  async close(): Promise<void> {
    // A history that failed before its journal was open has nothing to close, and an error of its own to report.
    await this.#account.close().catch(() => {})
    await this.shelf.close()
  }
}
