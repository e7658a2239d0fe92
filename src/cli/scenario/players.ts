import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { PROGRAM } from '../../package-files.ts'
import {
  ABSENT,
  type Play,
  type PlaySettings,
  Positions,
  playRepeatedly,
  type Scenario,
  type ScenarioResult,
  type SourcePosition,
  type StepRecord,
} from '../../scenario/index.ts'
import { startOwn } from './open-target.ts'

/** A scenario for another process, which finds positions in its text if something fails. */
interface Task {
  readonly nth: number
  readonly scenario: Omit<Scenario, 'positions'>
  readonly text: string
  readonly run: string
  readonly settings: Omit<PlaySettings, 'began' | 'ended'>
}

type News = { readonly nth: number } & (
  | { readonly began: string }
  | { readonly ended: SentResult }
  | { readonly done: true }
  | { readonly failed: string }
)

/** A result without what cannot be sent: functions that find places, and the symbol for an absent value. */
interface SentResult extends Omit<ScenarioResult, 'steps'> {
  readonly steps: readonly (Omit<StepRecord, 'place'> & { readonly at: SourcePosition | undefined })[]
}

const toSend = (result: ScenarioResult): SentResult => ({
  ...result,
  steps: result.steps.map(({ place, ...step }) => ({
    ...withActual(step, actual => (actual === ABSENT ? STANDS_FOR_ABSENT : actual)),
    at: step.failure && place(),
  })),
})

const received = (result: SentResult, positions: Scenario['positions']): ScenarioResult => ({
  ...result,
  steps: result.steps.map(({ at, ...step }) => ({
    ...withActual(step, actual => (actual instanceof Map ? ABSENT : actual)),
    place: () => at ?? positions.of(step.path),
  })),
})

/** No JSON has a Map. */
const STANDS_FOR_ABSENT = new Map()

function withActual<S extends Pick<StepRecord, 'failure'>>(step: S, edit: (actual: unknown) => unknown): S {
  const { failure } = step
  if (!failure) return step
  const mismatches = failure.mismatches.map(one => ({ ...one, actual: edit(one.actual) }))
  return { ...step, failure: { ...failure, mismatches } }
}

/** Another process that plays scenarios in a simulator of its own, so that they take another core. */
export class Player {
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>
  readonly #waiting = new Map<number, (news: News) => void>()
  #tasks = 0
  #failed: string | undefined

  constructor() {
    const [command, ...words] = PROGRAM
    this.#child = spawn(command, [...words, '__play'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    this.#gone = once(this.#child, 'exit').catch(() => {})
    this.#child.on('error', ({ message }) => this.#fail(message))
    this.#child.on('exit', (code, signal) => this.#fail(`it ended with ${signal ?? code}`))
    this.#child.on('message', (news: News) => this.#waiting.get(news.nth)?.(news))
  }

  readonly play: Play = ({ positions, ...scenario }, run, { began, ended, ...settings }) =>
    new Promise((resolve, reject) => {
      const nth = ++this.#tasks
      const results: ScenarioResult[] = []
      this.#waiting.set(nth, news => {
        if ('began' in news) return began?.({ ...scenario, positions }, news.began)
        if ('ended' in news) {
          const result = received(news.ended, positions)
          results.push(result)
          return ended?.(result)
        }
        this.#waiting.delete(nth)
        if ('done' in news) resolve(results)
        else reject(new Error(`a process that plays scenarios failed: ${news.failed}`))
      })
      const task: Task = { nth, scenario, text: positions.text, run, settings }
      // If it cannot be sent, the process has ended or is about to, and says so itself.
      if (this.#failed === undefined) this.#child.send(task, () => {})
      else this.#fail(this.#failed)
    })

  #fail(failed: string): void {
    this.#failed = failed
    for (const [nth, tell] of this.#waiting) tell({ nth, failed })
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#gone
  }
}

/** What the other process does, until the one that started it lets it go or has ended. */
export async function playForParent(): Promise<void> {
  // If the other one is gone, nobody wants to know.
  const tell = (news: News) => void process.send?.(news, undefined, undefined, () => {})
  const opening = startOwn()
  process.once('disconnect', () => void opening.then(({ close }) => close()).finally(() => process.exit()))
  // A terminal sends them to both. The other one ends the run in order.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('message', ({ nth, scenario, text, run, settings }: Task) => {
    const playing = opening.then(({ target }) =>
      playRepeatedly({ ...scenario, positions: new Positions(text) }, run, target, {
        ...settings,
        began: (_, title) => tell({ nth, began: title }),
        ended: result => tell({ nth, ended: toSend(result) }),
      }),
    )
    playing.then(
      () => tell({ nth, done: true }),
      cause => tell({ nth, failed: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }),
    )
  })
}
