import type { Application } from '../../application/application.ts'
import type { ApplicationRun, Misdeed } from '../../application/application-run.ts'
import type { Disturbance } from '../../application/disturbance.ts'
import type { RecordedCall } from '../../application/gateway-proxy.ts'
import type { RecordedDelivery } from '../../application/webhook-relay.ts'
import type { AccountControl, AdvanceGoal, AdvanceResult } from '../../client/control-client.ts'
import { type Mismatch, match } from '../expect/match.ts'
import type { ScenarioData } from '../schema/file.ts'
import type { Scope } from './scope.ts'

/** How long a story waits for its application, where that is not what the file says: exploring looks twice before it believes. */
export interface Patience {
  readonly midwayMs: number
  readonly atEndMs: number | undefined
}

/** What one run saw of its application, for whoever compares runs. */
export interface ApplicationReport {
  readonly calls: readonly RecordedCall[]
  readonly deliveries: readonly RecordedDelivery[]
  readonly misdeeds: readonly Misdeed[]
  /** Disturbances that found nothing to happen to. */
  readonly unmet: readonly Disturbance[]
  /** Time had to move further than in the story, and brought more than what was late: a failure says nothing. */
  readonly isTainted: boolean
  readonly output: readonly string[]
  /** Each `expect app` with the request as it was sent, how long it took to come true, and whether it still is at the end. */
  readonly looks: readonly Look[]
}

export interface Look {
  readonly path: readonly (string | number)[]
  readonly request: string
  /** The step, with its references resolved. */
  readonly step: Readonly<Record<string, unknown>>
  readonly tookMs: number
  isStillSo: boolean
}

/** How far a story may move time for what was made late. */
const MOST_MOVES = 60
const IDLE_MAX = '7d'

type TimerRecord = Awaited<ReturnType<AccountControl['timers']>>[number]

/** What an application needs of the stage that it plays on. */
interface StageOfApplication {
  readonly virtual: boolean
  readonly scope: Scope
  readonly scenario: { readonly data: ScenarioData }
  readonly simulated: { readonly control: AccountControl }
  stir(): void
  settle(): Promise<void>
  advance(goal: AdvanceGoal): Promise<{ readonly body: AdvanceResult }>
}

/** The application as one story has it. */
export class PlayedApplication {
  isTainted = false
  /** From here on every expectation counts. */
  isOver = false
  known: readonly string[] = []
  readonly looks: Look[] = []

  constructor(
    readonly app: Application,
    readonly run: ApplicationRun,
    readonly patience: Patience | undefined,
  ) {}

  /** Whether an expectation that does not hold is only noted: what was disturbed may come true later. */
  get isLenient(): boolean {
    return this.run.isDisturbed && !this.isOver
  }

  /** Moves time until what a disturbance made late has arrived. */
  async catchUp(stage: StageOfApplication): Promise<void> {
    const { late } = this.run.relay
    await this.app.quiet(QUIET_WITHIN_MS)
    if (late.size === 0) return
    this.run.relay.letAllPass()
    for (let moves = 0; late.size > 0 && moves < MOST_MOVES; moves++) if (!(await this.#move(stage))) return
  }

  /** Nothing is disturbed any more: moves time until every webhook has arrived. */
  async end(stage: StageOfApplication): Promise<void> {
    this.run.relay.letAllPass()
    await this.app.quiet(QUIET_WITHIN_MS)
    for (let moves = 0; moves < MOST_MOVES; moves++) {
      stage.stir()
      await stage.settle()
      const due = await timersOf(stage)
      if (!due.some(isDelivery) || !(await this.#move(stage))) break
    }
    this.isOver = true
  }

  async #move(stage: StageOfApplication): Promise<boolean> {
    const [next] = await timersOf(stage)
    if (!next) return false
    if (!isDelivery(next)) this.isTainted = true
    await stage.advance({ to: next.due_at })
    return true
  }

  /** The story is over, and something is still not as it should be: all that is due happens. Says whether there was any. */
  async doAllThatIsDue(stage: StageOfApplication): Promise<boolean> {
    if (!stage.virtual) return false
    const { body } = await stage.advance({ until: 'idle', max: IDLE_MAX })
    return body.fired > 0
  }

  /** What the end of the story expects, as it is now. */
  async look(stage: StageOfApplication): Promise<{ state: string; isAsExpected: boolean }> {
    const wrong: string[] = []
    for (const step of finalLooks(stage)) {
      const mismatches = await this.mismatchesOf(step).catch(() => undefined)
      if (!mismatches) continue
      const request = String(step['expect app'])
      wrong.push(
        ...mismatches.map(({ subject, actual }) => `${request}: ${subject} is ${JSON.stringify(actual)}`),
      )
    }
    return { state: wrong.join('; '), isAsExpected: wrong.length === 0 }
  }

  async mismatchesOf(step: Readonly<Record<string, unknown>>): Promise<Mismatch[]> {
    const [method = 'GET', path = '/'] = String(step['expect app']).split(' ')
    const answer = await this.app.ask({
      method,
      path,
      headers: (step.headers ?? {}) as Record<string, string>,
    })
    return lookMismatches(step, answer)
  }

  report(): ApplicationReport {
    const { run, app, isTainted, looks } = this
    return {
      calls: run.calls,
      deliveries: run.deliveries,
      misdeeds: run.misdeeds,
      unmet: run.unmet,
      isTainted,
      output: app.output,
      looks,
    }
  }
}

/** An answer may be made slow on purpose. */
const QUIET_WITHIN_MS = 5000
const isDelivery = ({ command }: TimerRecord) => command.type === 'AttemptDelivery'

async function timersOf(stage: StageOfApplication): Promise<TimerRecord[]> {
  const timers = await stage.simulated.control.timers()
  return [...timers].sort((a, b) => a.due_at.localeCompare(b.due_at))
}

/** The expectations behind `disturb: end`, as far as what they refer to is known by now. */
function finalLooks(stage: StageOfApplication): Record<string, unknown>[] {
  const steps = (stage.scenario.data.steps ?? []) as Record<string, unknown>[]
  const end = steps.findIndex(step => step.disturb === 'end')
  if (end < 0) return []
  return steps.slice(end).flatMap(step => {
    if (!('expect app' in step)) return []
    try {
      return [stage.scope.resolve(step)]
    } catch {
      return []
    }
  })
}

interface Answered {
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly lost?: string
}

/** What is wrong with an answer of the application, as an `expect app` has it. */
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
        why: 'no whole answer came',
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
