import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ApplicationError } from './application-error.ts'
import type { GatewayProxy } from './gateway-proxy.ts'
import { KEPT_BYTES, Output, START_WITHIN_MS } from './process.ts'
import {
  commandLine,
  dataFolder,
  endIfInterrupted,
  familyOf,
  guard,
  isShuttingDown,
  type StartCommand,
  wordsOf,
} from './process-family.ts'
import { type ReadyRequest, whyNotReady } from './request-once.ts'

export interface Credentials {
  readonly publicKey: string
  readonly secretKey: string
  readonly webhookSecret: string
}

/** What applications that run already were given before: the address of the gateway, and keys that no run changes. */
export interface GivenGateway {
  readonly proxy: GatewayProxy
  readonly credentialsOf: (environment: 'test' | 'live') => Credentials
}

/** Keys that somebody can write down once, because they are the same on every machine. They open no account by themselves. */
const LASTING = 'ApplicationRunsAlready'
const LASTING_SECRET = `whsec_${Buffer.from('application runs already').toString('base64')}`

/** The credentials that such an application uses: those of the environment that paysim runs in, or lasting ones. */
export const givenCredentials =
  ({ PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY, PAYSIM_WEBHOOK_SECRET }: Readonly<NodeJS.ProcessEnv>) =>
  (environment: 'test' | 'live'): Credentials => ({
    publicKey: PAYSIM_PUBLIC_KEY || `pk_${environment}_${LASTING}`,
    secretKey: PAYSIM_SECRET_KEY || `sk_${environment}_${LASTING}`,
    webhookSecret: PAYSIM_WEBHOOK_SECRET || LASTING_SECRET,
  })

const POLL_MS = 50

interface RunningSettings {
  readonly url: string
  readonly ready?: ReadyRequest | undefined
  /** The command that restarts it, where it runs, and more environment variables for it. */
  readonly restart?: StartCommand | undefined
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly credentials: Credentials
  /** The proxy through which it reaches the gateway. */
  readonly proxy?: GatewayProxy | undefined
  /** How long it may take to be ready, and its command to end. */
  readonly withinMs?: number
}

/** An application that paysim did not start. Somebody else ends it, too. */
export class RunningApplication {
  readonly url: string
  /** Only its supervisor knows. */
  readonly unexpectedEnd = undefined
  #output: string[] = []
  #wasReady = false
  /** Why it was given up. */
  gone: string | undefined

  constructor(private readonly settings: RunningSettings) {
    this.url = settings.url.replace(/\/+$/, '')
  }

  get #withinMs(): number {
    return this.settings.withinMs ?? START_WITHIN_MS
  }

  #whyNotReady(): Promise<string | undefined> {
    return whyNotReady(this.url, this.settings.ready)
  }

  get proxy(): GatewayProxy | undefined {
    return this.settings.proxy
  }

  /** What the last command to restart it printed. */
  get output(): string[] {
    return this.#output
  }

  /** Waits until it answers. If it did before and no longer does, the command that restarts it may bring it back. */
  async awaitReady(): Promise<void> {
    if ((await this.#whyNotReady()) !== undefined) {
      if (this.gone !== undefined) throw new ApplicationError(this.gone)
      try {
        await (this.#wasReady && this.settings.restart !== undefined ? this.restart() : this.#becomeReady())
      } catch (cause) {
        if (cause instanceof ApplicationError) this.gone = cause.message
        throw cause
      }
    }
    this.#wasReady = true
  }

  async #becomeReady(): Promise<void> {
    const deadline = performance.now() + this.#withinMs
    for (;;) {
      const why = await this.#whyNotReady()
      if (why === undefined) return
      if (performance.now() > deadline) {
        const message = `the application at ${this.url} was not ready within ${this.#withinMs / 1000} s: ${why}`
        throw new ApplicationError(message, this.#output)
      }
      await pause(POLL_MS)
    }
  }

  /** Lets the command restart it, and waits until it answers. */
  async restart(): Promise<void> {
    const { restart: command, cwd, credentials, proxy } = this.settings
    if (command === undefined)
      throw new ApplicationError(
        'paysim did not start this application: give app.restart a command that restarts it, or use app.start instead of app.url',
      )
    const env = {
      ...process.env,
      ...this.settings.env,
      ...(proxy ? { PAYSIM_BASE_URL: proxy.url } : {}),
      PAYSIM_PUBLIC_KEY: credentials.publicKey,
      PAYSIM_SECRET_KEY: credentials.secretKey,
      PAYSIM_WEBHOOK_SECRET: credentials.webhookSecret,
    }
    this.#output = await runRestart({ command, cwd, env, withinMs: this.#withinMs })
    await this.#becomeReady()
    this.#wasReady = true
  }

  async end(): Promise<void> {}
}

interface RestartCommand {
  readonly command: StartCommand
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly withinMs: number
}

/**
 * Runs a command that restarts an application, and returns what it printed. The application that it starts is meant to go
 * on, so only a command that does not end is ended, with all its processes.
 */
async function runRestart(restart: RestartCommand): Promise<string[]> {
  if (isShuttingDown()) throw new ApplicationError('paysim was interrupted')
  const folder = await dataFolder()
  // The application inherits where the command writes to: over a pipe it would fail once paysim has ended.
  const written = await open(join(folder, 'output'), 'a+')
  try {
    await end(restart, written.fd, folder)
    return await lastLinesOf(written)
  } catch (cause) {
    if (!(cause instanceof ApplicationError)) throw cause
    const message = `app.restart: ${commandLine(restart.command)} ${cause.message}`
    throw new ApplicationError(message, await lastLinesOf(written))
  } finally {
    await written.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function lastLinesOf(file: FileHandle): Promise<string[]> {
  const { size } = await file.stat()
  const length = Math.min(size, KEPT_BYTES)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
  const output = new Output()
  output.add(buffer)
  return output.lines()
}

/** Waits for the end of the command, which must be a good one. */
async function end(
  { command, cwd, env, withinMs }: RestartCommand,
  output: number,
  folder: string,
): Promise<void> {
  const [name = '', ...args] = wordsOf(command)
  const detached = process.platform !== 'win32'
  const child = spawn(name, args, { cwd, env, stdio: ['ignore', output, output], detached })
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  exit.catch(() => undefined)
  const { pid } = child
  if (pid === undefined) {
    const cause: unknown = await exit.catch(error => error)
    throw new ApplicationError(`cannot be started: ${cause instanceof Error ? cause.message : cause}`)
  }
  const family = familyOf(Object.assign(child, { pid }))
  const watch = guard(pid, folder)
  const forget = endIfInterrupted(async () => {
    await family.end()
    await rm(folder, { recursive: true, force: true })
  })
  let ending: Promise<void> | undefined
  const timer = setTimeout(() => {
    ending = family.end()
  }, withinMs)
  try {
    const [code, signal] = await exit
    await ending
    if (ending)
      throw new ApplicationError(
        `did not end within ${withinMs / 1000} s: it must end once the application runs again`,
      )
    if (code !== 0)
      throw new ApplicationError(signal ? `was ended by ${signal}` : `ended with exit code ${code}`)
  } finally {
    clearTimeout(timer)
    forget()
    watch.dismiss()
  }
}
