import type { Application } from '../../application/application.ts'
import type { ApplicationRun, RecordedRestart, Violation } from '../../application/application-run.ts'
import type { Disturbance } from '../../application/disturbance.ts'
import type { RecordedCall } from '../../application/gateway-proxy.ts'
import type { Payer, RecordedVisit } from '../../application/payer.ts'
import type { ApplicationRequest } from '../../application/request-once.ts'
import type { RecordedDelivery } from '../../application/webhook-relay.ts'
import type { AccountControl, AdvanceGoal, AdvanceResult } from '../../client/control-client.ts'
import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import { type Mismatch, match } from '../expect/match.ts'
import type { ScenarioData } from '../schema/file.ts'
import type { Scope } from './scope.ts'

/** How long to wait for the application, if it is not given all the time that the file allows. */
export interface Patience {
  readonly midwayMs: number
  readonly atEndMs: number
  /** Whether an expectation about this request may fail after `atEndMs`, before the time that the file allows. */
  readonly mayGiveUp: (request: string) => boolean
}

/** What one run recorded about its application, for comparing runs. */
export interface ApplicationReport {
  readonly calls: readonly RecordedCall[]
  readonly deliveries: readonly RecordedDelivery[]
  readonly restarts: readonly RecordedRestart[]
  readonly visits: readonly RecordedVisit[]
  /** Payments that the payer decided, and from which a browser comes back to the application. */
  readonly decided: Payer['decided']
  readonly violations: readonly Violation[]
  /** Whether the run reached the step of a disturbance. Before that step, a failure proves nothing. */
  readonly isDisturbed: boolean
  /** Disturbances that did not happen. */
  readonly unmet: readonly Disturbance[]
  /** Whether the story came to its end, so that what failed failed there. */
  readonly isOver: boolean
  /** Time had to move so far that other things became due too, so a failure proves nothing. */
  readonly isTainted: boolean
  /** An expectation failed before the time that the file allows was over. */
  readonly isHasty: boolean
  readonly output: readonly string[]
  /** Each `expect app`: its request, how long it took to hold, and whether it still holds at the end. */
  readonly looks: readonly AppExpectation[]
  /** How many payments the account has at the end; undefined if they were not counted. */
  readonly payments: number | undefined
}

export interface AppExpectation {
  readonly path: readonly (string | number)[]
  readonly request: string
  /** The step with its references resolved. */
  readonly step: Readonly<Record<string, unknown>>
  readonly tookMs: number
  stillHolds: boolean
}

/** What an undisturbed run does, which `disturb: end` says. A run that breaks off before that step is judged by it, too. */
export interface UsualRun {
  /** Violations that happen without a disturbance. */
  readonly known?: readonly string[]
  /** How many payments are made. */
  readonly payments?: number
  /** The file disturbs nothing, and yet is judged by what a disturbed run is judged by. */
  readonly isRepeated?: boolean
}

/** How often a run may move time to wait for delayed webhooks. */
const MOST_MOVES = 60
const IDLE_MAX = '7d'

type TimerRecord = Awaited<ReturnType<AccountControl['timers']>>[number]

/** What the application needs from the stage. */
interface StageOfApplication {
  /** The value of `${run}`. */
  readonly run: string
  readonly virtual: boolean
  readonly scope: Scope
  readonly scenario: { readonly data: ScenarioData }
  readonly simulated: { readonly control: AccountControl }
  noteActivity(): void
  settle(): Promise<void>
  advance(goal: AdvanceGoal): Promise<{ readonly body: AdvanceResult }>
}

/** The application during one run. */
export class PlayedApplication {
  isTainted = false
  isHasty = false
  /** From here on, every expectation counts. */
  isOver = false
  /** The payments of the account by merchant_reference, if they were counted. */
  payments: ReadonlyMap<string, number> | undefined
  readonly looks: AppExpectation[] = []

  constructor(
    readonly app: Application,
    readonly run: ApplicationRun,
    readonly patience: Patience | undefined,
    private readonly usual: UsualRun = {},
  ) {}

  /** Whether the end of the story decides what the application did right. */
  get isJudgedAtEnd(): boolean {
    return this.run.isDisturbed || (this.usual.isRepeated ?? false)
  }

  /** Whether a failed expectation is only recorded, because a delayed webhook may still arrive. */
  get isLenient(): boolean {
    return this.isJudgedAtEnd && !this.isOver
  }

  /** An expectation about the gateway does not count in a disturbed run, because the disturbance was deliberate. */
  countsNot({ name, moves }: { readonly name: string; readonly moves: boolean }): boolean {
    return this.isJudgedAtEnd && !moves && AT_THE_GATEWAY.test(name)
  }

  ask(request: ApplicationRequest, withinMs?: number): Promise<ReceivedAnswer> {
    return this.run.ask(request, withinMs)
  }

  /** Moves time until the delayed webhooks have arrived. */
  async catchUp(stage: StageOfApplication): Promise<void> {
    const { relay } = this.run
    await this.app.quiet(QUIET_WITHIN_MS)
    if (!relay.isAwaited) return
    relay.releaseAll()
    for (let moves = 0; relay.isAwaited && moves < MOST_MOVES; moves++) if (!(await this.#move(stage))) return
  }

  /** The disturbances are over: moves time until every webhook has arrived. */
  async end(stage: StageOfApplication): Promise<void> {
    this.run.relay.releaseAll()
    await this.app.quiet(QUIET_WITHIN_MS)
    for (let moves = 0; moves < MOST_MOVES; moves++) {
      stage.noteActivity()
      await stage.settle()
      const due = await timersOf(stage)
      if (!due.some(isDelivery) || !(await this.#move(stage))) break
    }
    // If time moved too far, a payment may have expired, and a second one is then correct.
    if (!this.isTainted) await this.countPayments(stage)
    this.isOver = true
  }

  /** Counts the payments, unless the calls of the application show that their number is that of a plain run. */
  async countPayments({ simulated }: StageOfApplication): Promise<void> {
    const { isDisturbed, goesOn } = this.run
    if (isDisturbed && !goesOn && !this.run.mayHavePaidMoreThan(this.usual.payments)) return
    const counts = new Map<string, number>()
    for (const { merchant_reference: reference } of await simulated.control.payments.list())
      counts.set(reference ?? '', (counts.get(reference ?? '') ?? 0) + 1)
    this.payments = counts
  }

  async #move(stage: StageOfApplication): Promise<boolean> {
    const [next] = await timersOf(stage)
    if (!next) return false
    if (!isDelivery(next)) this.isTainted = true
    await stage.advance({ to: next.due_at })
    return true
  }

  /** Called when an expectation fails at the end. Executes what is still due, and returns whether anything was. */
  async doEverythingDue(stage: StageOfApplication): Promise<boolean> {
    if (!stage.virtual) return false
    const { body } = await stage.advance({ until: 'idle', max: IDLE_MAX })
    return body.fired > 0
  }

  /** The differences between the state and what the end of the scenario expects; undefined if it did not answer. */
  async look(stage: StageOfApplication): Promise<string[] | undefined> {
    const wrong: string[] = []
    for (const step of finalLooks(stage)) {
      const seen = await this.#lookAt(step).catch(() => undefined)
      if (!seen || seen.answer.lost !== undefined) return undefined
      const request = String(step['expect app'])
      wrong.push(
        ...seen.mismatches.map(
          ({ subject, actual }) => `${request}: ${subject} is ${JSON.stringify(actual)}`,
        ),
      )
    }
    return wrong
  }

  async #lookAt(step: Readonly<Record<string, unknown>>) {
    const [method = 'GET', path = '/'] = String(step['expect app']).split(' ')
    const answer = await this.ask({
      method,
      path,
      headers: (step.headers ?? {}) as Record<string, string>,
    })
    return { answer, mismatches: lookMismatches(step, answer) }
  }

  /** Checks again everything that the steps expected. What still holds describes the application's final state. */
  async lookAgain(): Promise<void> {
    for (const look of this.looks) look.stillHolds = (await this.#lookAt(look.step)).mismatches.length === 0
  }

  /**
   * Reports what no correct application does. In the plain run, only an exit counts, because a disturbance cannot have
   * caused anything else.
   */
  async conclude(stage: StageOfApplication): Promise<Mismatch[]> {
    const { run } = this
    run.recordExit()
    if (!this.isOver && !this.isTainted) await this.countPayments(stage)
    if (this.isOver) await run.recordBelieved()
    run.violations.push(...this.#secondPayments())
    const blamed = this.isJudgedAtEnd ? this.#unusual : run.violations.filter(({ what }) => what === 'ended')
    return blamed.map(({ what, message }) => ({
      path: [],
      subject: 'application',
      expected: EXPECTED[what],
      actual: what,
      why: message,
    }))
  }

  /** The violations that do not happen in an undisturbed run. */
  get #unusual(): Violation[] {
    return this.run.violations.filter(({ sameAs }) => !this.usual.known?.includes(sameAs))
  }

  /** More payments than in the plain run mean that a customer pays twice, even if each has its own merchant_reference. */
  #secondPayments(): Violation[] {
    const { payments = new Map<string, number>(), usual } = this
    const what = 'second payment'
    const repeated = [...payments].filter(([reference, count]) => reference !== '' && count > 1)
    const found: Violation[] = repeated.map(([reference, count]) => ({
      what,
      message: `it made ${count} payments with the merchant_reference ${reference}`,
      sameAs: `${count} payments ${reference}`,
    }))
    if (found.some(({ sameAs }) => !usual.known?.includes(sameAs))) return found
    const total = totalOf(payments)
    if (usual.payments === undefined || total <= usual.payments) return found
    const message = `it made ${total} payments, and ${usual.payments} without the disturbance`
    return [...found, { what, message, sameAs: 'more payments' }]
  }

  report(): ApplicationReport {
    const { run, app, isOver, isTainted, isHasty, looks, payments } = this
    return {
      calls: run.calls,
      deliveries: run.deliveries,
      restarts: run.restarts,
      visits: run.payer.visits,
      decided: run.payer.decided,
      violations: this.isJudgedAtEnd ? this.#unusual : run.violations,
      isDisturbed: run.isDisturbed,
      unmet: run.unmet,
      isOver,
      isTainted,
      isHasty,
      output: app.output,
      looks,
      payments: payments && totalOf(payments),
    }
  }
}

const AT_THE_GATEWAY = /^expect (?!app|value)|^wait for payment$/

const EXPECTED: Readonly<Record<Violation['what'], string>> = {
  ended: 'a running application',
  'error answer': 'an answer below 500',
  'forgery believed': 'no change of state',
  'second payment': 'one payment',
}

const totalOf = (payments: ReadonlyMap<string, number>) =>
  [...payments.values()].reduce((sum, count) => sum + count, 0)

/** A disturbance may delay an answer. */
const QUIET_WITHIN_MS = 5000
const isDelivery = ({ command }: TimerRecord) => command.type === 'AttemptDelivery'

async function timersOf(stage: StageOfApplication): Promise<TimerRecord[]> {
  const timers = await stage.simulated.control.timers()
  return [...timers].sort((a, b) => a.due_at.localeCompare(b.due_at))
}

type Step = Readonly<Record<string, unknown>>
type Told = Pick<StageOfApplication, 'scenario' | 'scope'>

/** `disturb: end`, and the steps after it. */
function stepsOfEnd({ scenario }: Told): Step[] {
  const steps = (scenario.data.steps ?? []) as Step[]
  const end = steps.findIndex(step => step.disturb === 'end')
  return end < 0 ? [] : steps.slice(end)
}

/** The steps whose references can be resolved by now. */
const resolved = (steps: readonly Step[], scope: Scope): Step[] =>
  steps.flatMap(step => {
    try {
      return [scope.resolve(step)]
    } catch {
      return []
    }
  })

/** What the file says about an undisturbed run. */
export function usualRunOf(stage: Told): UsualRun {
  const [end] = resolved(stepsOfEnd(stage).slice(0, 1), stage.scope)
  if (!end) return {}
  const { known, payments } = end as UsualRun
  const disturbs = (stage.scenario.data.steps ?? []).filter(step => 'disturb' in step)
  return {
    ...(known ? { known } : {}),
    ...(payments === undefined ? {} : { payments }),
    isRepeated: disturbs.length === 1,
  }
}

/** The expectations after `disturb: end`. */
const finalLooks = (stage: Told): Step[] =>
  resolved(
    stepsOfEnd(stage).filter(step => 'expect app' in step),
    stage.scope,
  )

interface Answered {
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly lost?: string
}

/** Compares an answer of the application with an `expect app` step. */
export function lookMismatches(
  step: { readonly is?: unknown; readonly status?: unknown },
  answer: Answered,
): Mismatch[] {
  if (answer.lost !== undefined)
    return [
      {
        path: [],
        subject: 'answer',
        expected: 'an answer',
        actual: answer.lost,
        why: `did not arrive: ${answer.lost}`,
      },
    ]
  const found: Mismatch[] = []
  if (step.status !== undefined) found.push(...match(step.status, answer.status, 'status', ['status']))
  else if (answer.status < 200 || answer.status >= 300)
    found.push({
      path: [],
      subject: 'status',
      expected: 'success',
      actual: answer.status,
      why: answer.text.slice(0, 200),
    })
  if (step.is !== undefined && found.length === 0)
    found.push(...match(step.is, answer.body ?? answer.text, '', ['is']))
  return found
}
