import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { ApplicationError } from './application-error.ts'
import { addressOf, portsOf } from './listening.ts'
import {
  commandLine,
  endIfInterrupted,
  familyOf,
  type Guard,
  guard,
  isShuttingDown,
  killAllWith,
  type ProcessFamily,
  processesWith,
  type StartCommand,
  wordsOf,
} from './process-family.ts'
import { type ReadyRequest, whyNotReady } from './request-once.ts'

export interface ProcessSettings {
  readonly command: StartCommand
  readonly cwd: string
  readonly port: number
  /** Added to the inherited environment. */
  readonly env: Readonly<Record<string, string>>
  /** The request that gets a 2xx once the application is ready. Without it, the port must accept connections. */
  readonly ready?: ReadyRequest | undefined
  readonly startWithinMs?: number
}

/** Compilers, containers and virtual machines start slowly. */
export const START_WITHIN_MS = 30_000
/** The time between SIGTERM and SIGKILL. */
const PATIENCE_MS = 5000
const POLL_MS = 15

/** The process of the merchant's program, in its own process group. */
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

  /** Starts it, and waits until it is ready. */
  static async start(settings: ProcessSettings): Promise<ApplicationProcess> {
    if (isShuttingDown()) throw new ApplicationError('paysim was interrupted')
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
    const family = familyOf(Object.assign(child, { pid }))
    const running = new ApplicationProcess(settings, child, family, guard(pid, settings.env.PAYSIM_APP_DATA))
    const abandon = endIfInterrupted(() => running.kill())
    try {
      await running.#becomeReady()
      return running
    } catch (cause) {
      await running.kill()
      throw cause
    } finally {
      abandon()
    }
  }

  /** Its base URL. */
  get url(): string {
    return this.#url
  }

  /** How it ended, if paysim did not end it. */
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
        const why = ready && (await whyNotReady(this.#url, ready))
        if (why === undefined) return
        last = why
      }
      if (performance.now() > deadline) throw this.#error(await this.#whyNotReady(last, startWithinMs))
      await pause(POLL_MS)
    }
  }

  async #whyNotReady(last: string, startWithinMs: number): Promise<string> {
    const { port, command } = this.settings
    const late = `${commandLine(command)} was not ready within ${startWithinMs / 1000} s`
    if (last !== '') return `${late}: ${last}`
    const others = await portsOf([
      this.child.pid ?? 0,
      ...(this.#mark === undefined ? [] : processesWith(this.#mark)),
    ])
    const instead = others.length > 0 ? `. It listens on port ${others.join(', ')} instead` : ''
    return `${late}: nothing listens on port ${port} (the value of PORT)${instead}`
  }

  #error(message: string): ApplicationError {
    return new ApplicationError(message, this.output.lines())
  }

  /** The line in the environment that identifies its processes, including those that left its process group. */
  get #mark(): string | undefined {
    const { PAYSIM_APP_DATA: folder } = this.settings.env
    return folder === undefined ? undefined : `PAYSIM_APP_DATA=${folder}`
  }

  /** Ends it with SIGTERM, then with SIGKILL if it is still running. */
  async end(patienceMs = PATIENCE_MS): Promise<void> {
    this.#isEnding = true
    await this.family.end(patienceMs)
    await this.#endStragglers()
  }

  /** Kills it at once, as in a crash. */
  async kill(): Promise<void> {
    this.#isEnding = true
    await this.family.kill()
    await this.#endStragglers()
  }

  async #endStragglers(): Promise<void> {
    if (this.#mark !== undefined) await killAllWith(this.#mark)
    this.watch.dismiss()
    this.child.stdout?.destroy()
    this.child.stderr?.destroy()
  }
}

function notStarted({ command, cwd }: ProcessSettings, cause: Error): ApplicationError {
  const { code } = cause as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? `the command or the folder ${cwd} does not exist` : cause.message
  return new ApplicationError(`${commandLine(command)} cannot be started: ${why}`)
}

/** How much of an application's output to keep: enough to see why it failed, with a limit. */
export const KEPT_BYTES = 64 * 1024
const SHOWN_LINES = 30
const LONGEST_LINE = 500

/** The end of what a process wrote to stdout and stderr, in the order in which it came. */
export class Output {
  #chunks: Buffer[] = []
  #size = 0
  #dropped = false

  follow(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.add(chunk))
    stream.on('error', () => {})
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // Never less than KEPT_BYTES is left: one chunk may hold all of that, and the next a single line.
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= KEPT_BYTES) {
      this.#size -= this.#chunks.shift()?.length ?? 0
      this.#dropped = true
    }
  }

  /** The last lines, for the report of a failure. */
  lines(most = SHOWN_LINES): string[] {
    const text = Buffer.concat(this.#chunks).toString('utf8').replace(/\n$/, '')
    if (text === '') return []
    const lines = text.split(/\r?\n/)
    const shown = lines.slice(-most).map(line => line.slice(0, LONGEST_LINE))
    return lines.length > most || this.#dropped ? ['…', ...shown] : shown
  }
}
