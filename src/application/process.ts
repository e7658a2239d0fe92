import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { ApplicationError } from './application-error.ts'
import { commandLine, type StartCommand, wordsOf } from './command-words.ts'
import { addressOf, portsOf, processesWith } from './listening.ts'
import { Output } from './output.ts'
import { familyOf, type Guard, guard, type ProcessFamily } from './process-family.ts'

export interface ProcessSettings {
  readonly command: StartCommand
  readonly cwd: string
  readonly port: number
  /** Added to the environment that it inherits. */
  readonly env: Readonly<Record<string, string>>
  /** The request that it answers with 2xx once it is up; without one, its port takes connections. */
  readonly ready?: { readonly method: string; readonly path: string } | undefined
  readonly startWithinMs?: number
}

/** Compilers, containers and virtual machines start slowly. */
const START_WITHIN_MS = 30_000
/** Between SIGTERM and SIGKILL. */
const PATIENCE_MS = 5000
const GLANCE_MS = 15

/** The merchant's own program while it runs, in a process group of its own. */
export class ApplicationProcess {
  readonly output = new Output()
  #ending: string | undefined
  #isEnding = false
  #url = ''

  private constructor(
    private readonly settings: ProcessSettings,
    private readonly child: ChildProcess,
    private readonly family: ProcessFamily,
    private readonly watch: Guard,
  ) {
    if (child.stdout) this.output.follow(child.stdout)
    if (child.stderr) this.output.follow(child.stderr)
    child.once('exit', (code, signal) => {
      this.#ending = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
    })
  }

  /** Starts it, and waits until it takes requests. */
  static async start(settings: ProcessSettings): Promise<ApplicationProcess> {
    const [file = '', ...args] = wordsOf(settings.command)
    const child = spawn(file, args, {
      cwd: settings.cwd,
      env: { ...process.env, ...settings.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    const refusal = new Promise<Error>(resolve => child.once('error', resolve))
    const { pid } = child
    if (pid === undefined) throw notStarted(settings, await refusal)
    child.on('error', () => {})
    const running = new ApplicationProcess(settings, child, familyOf(pid), guard(pid))
    try {
      await running.#becomeReady()
      return running
    } catch (cause) {
      await running.kill()
      throw cause
    }
  }

  /** Where it takes requests. */
  get url(): string {
    return this.#url
  }

  /** How it ended, where nobody asked it to. */
  get unexpectedEnd(): string | undefined {
    return this.#isEnding ? undefined : this.#ending
  }

  async #becomeReady(): Promise<void> {
    const { port, ready, command, startWithinMs = START_WITHIN_MS } = this.settings
    const deadline = performance.now() + startWithinMs
    for (let last = ''; ; ) {
      if (this.#ending !== undefined)
        throw this.#error(`${commandLine(command)} ${this.#ending} before it was ready`)
      const address = await addressOf(port)
      if (address !== undefined) {
        this.#url = `http://${address}`
        if (!ready) return
        const answered = await statusOf(`${this.#url}${ready.path}`, ready.method)
        if (typeof answered === 'number' && answered >= 200 && answered < 300) return
        last = `${ready.method} ${ready.path} answered ${answered}`
      }
      if (performance.now() > deadline) throw this.#error(await this.#whyNotReady(last, startWithinMs))
      await pause(GLANCE_MS)
    }
  }

  async #whyNotReady(last: string, startWithinMs: number): Promise<string> {
    const { port, command } = this.settings
    const late = `${commandLine(command)} was not ready within ${startWithinMs / 1000} s`
    if (last !== '') return `${late}: ${last}`
    const others = await portsOf([this.child.pid ?? 0, ...(await this.#relatives())])
    const instead = others.length > 0 ? `. It listens on port ${others.join(', ')} instead` : ''
    return `${late}: nothing listens on port ${port}, which PORT names${instead}`
  }

  #error(message: string): ApplicationError {
    return new ApplicationError(message, this.output.lines())
  }

  /** Also those of its children that left its process group. */
  #relatives(): Promise<number[]> {
    const { PAYSIM_APP_DATA: folder = '' } = this.settings.env
    return folder === '' ? Promise.resolve([]) : processesWith(`PAYSIM_APP_DATA=${folder}`)
  }

  /** Ends it with SIGTERM, and with SIGKILL where that does not help. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.family.end(PATIENCE_MS)
    await this.#endStragglers()
  }

  /** Ends it at once, as a crash of its machine would. */
  async kill(): Promise<void> {
    this.#isEnding = true
    await this.family.kill()
    await this.#endStragglers()
  }

  async #endStragglers(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS
    for (let left = await this.#relatives(); left.length > 0; left = await this.#relatives()) {
      for (const pid of left)
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It ended meanwhile.
        }
      if (performance.now() > deadline) break
      await pause(GLANCE_MS)
    }
    this.watch.dismiss()
    this.child.stdout?.destroy()
    this.child.stderr?.destroy()
  }
}

function notStarted({ command, cwd }: ProcessSettings, cause: Error): ApplicationError {
  const { code } = cause as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? `there is no such command, or no folder ${cwd}` : cause.message
  return new ApplicationError(`${commandLine(command)} cannot be started: ${why}`)
}

async function statusOf(url: string, method: string): Promise<number | string> {
  try {
    const answer = await request(url, { method: method as 'GET', headersTimeout: 2000, bodyTimeout: 2000 })
    await answer.body.dump()
    return answer.statusCode
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
