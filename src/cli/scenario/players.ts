import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { isRecord } from '../../contract/json.ts'
import { PROGRAM } from '../../package-files.ts'
import {
  ABSENT,
  type Path,
  type Play,
  type PlaySettings,
  playRepeatedly,
  type Scenario,
  type ScenarioResult,
  type SourcePosition,
} from '../../scenario/index.ts'
import { startOwn } from './open-target.ts'

/** The command by which a process plays scenarios for the one that started it. */
const PLAY = '__play'

/** A scenario for another process. Its document stays here: the positions of its values are enough for the results. */
interface Task {
  readonly nth: number
  readonly scenario: Omit<Scenario, 'positions'>
  readonly positions: ReadonlyMap<string, SourcePosition>
  readonly run: string
  readonly settings: Omit<PlaySettings, 'began' | 'ended'>
}

type News = { readonly nth: number } & (
  | { readonly began: string }
  | { readonly ended: ScenarioResult }
  | { readonly done: true }
  | { readonly failed: string }
)

/** Another process that plays scenarios in a simulator of its own, so that they take another core. */
export class Player {
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>
  readonly #waiting = new Map<number, (news: News) => void>()
  #tasks = 0
  #failed: string | undefined

  constructor() {
    const [command, ...words] = PROGRAM
    this.#child = spawn(command, [...words, PLAY], {
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
          const result = withActual(news.ended, actual => (actual instanceof Map ? ABSENT : actual))
          results.push(result)
          return ended?.(result)
        }
        this.#waiting.delete(nth)
        if ('done' in news) resolve(results)
        else reject(new Error(`a process that plays scenarios failed: ${news.failed}`))
      })
      const task: Task = { nth, scenario, positions: table({ ...scenario, positions }), run, settings }
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

/** The position of each value, by its path. */
function table({ data, positions }: Scenario): Map<string, SourcePosition> {
  const found = new Map<string, SourcePosition>()
  const note = (path: Path, value: unknown): void => {
    found.set(JSON.stringify(path), positions.of(path))
    if (Array.isArray(value)) for (const [at, item] of value.entries()) note([...path, at], item)
    else if (isRecord(value)) for (const [key, item] of Object.entries(value)) note([...path, key], item)
  }
  note([], data)
  return found
}

/** The position of a value, or of the nearest one around it. */
function positionIn(found: ReadonlyMap<string, SourcePosition>, path: Path): SourcePosition {
  const here = found.get(JSON.stringify(path))
  return here ?? (path.length === 0 ? { line: 1, column: 1 } : positionIn(found, path.slice(0, -1)))
}

/** Of a member that is absent, the actual value is a symbol, which cannot be sent. No JSON has a Map, which stands for it. */
const withActual = (result: ScenarioResult, edit: (actual: unknown) => unknown): ScenarioResult => ({
  ...result,
  steps: result.steps.map(step => {
    if (!step.failure) return step
    const mismatches = step.failure.mismatches.map(one => ({ ...one, actual: edit(one.actual) }))
    return { ...step, failure: { ...step.failure, mismatches } }
  }),
})

/** What the other process does, until the one that started it lets it go or has ended. */
export async function playForParent(): Promise<void> {
  // If the other one is gone, nobody wants to know.
  const tell = (news: News) => void process.send?.(news, undefined, undefined, () => {})
  const opening = startOwn()
  process.once('disconnect', () => void opening.then(({ close }) => close()).finally(() => process.exit()))
  // A terminal sends them to both. The other one ends the run in order.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('message', ({ nth, scenario, positions, run, settings }: Task) => {
    const playing = opening.then(({ target }) =>
      playRepeatedly({ ...scenario, positions: { of: path => positionIn(positions, path) } }, run, target, {
        ...settings,
        began: (_, title) => tell({ nth, began: title }),
        ended: result =>
          tell({ nth, ended: withActual(result, actual => (actual === ABSENT ? new Map() : actual)) }),
      }),
    )
    playing.then(
      () => tell({ nth, done: true }),
      cause => tell({ nth, failed: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }),
    )
  })
}
