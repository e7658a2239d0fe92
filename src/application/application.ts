import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { ApplicationError } from './application-error.ts'
import { ApplicationRun, type RunSettings } from './application-run.ts'
import type { StartCommand } from './command-words.ts'
import { GatewayProxy } from './gateway-proxy.ts'
import { freePort } from './listening.ts'
import { ApplicationProcess, type ProcessSettings } from './process.ts'

/** The merchant's application, as a scenario file describes it. */
export interface ApplicationSpec {
  readonly start?: StartCommand | undefined
  /** Where it runs already. */
  readonly url?: string | undefined
  /** The path at which it takes webhooks. */
  readonly webhooks?: string | undefined
  readonly ready?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

export interface Credentials {
  readonly publicKey: string
  readonly secretKey: string
  readonly webhookSecret: string
}

export interface ApplicationSettings {
  readonly spec: ApplicationSpec
  /** The folder in which it is started. */
  readonly cwd: string
  /** The gateway's address. */
  readonly gateway: string
  readonly credentials: Credentials
  /** The name of the run, or of the first one. */
  readonly run: string
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ApplicationRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface ApplicationAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: unknown
  /** Why no whole answer came. */
  readonly lost?: string
}

/** A free port may be taken before the application gets to it. */
const PORTS_TRIED = 3
const isPortTaken = (cause: unknown) =>
  cause instanceof ApplicationError &&
  cause.output.some(line => /EADDRINUSE|address already in use/i.test(line))

const ANSWER_WITHIN_MS = 30_000
const GLANCE_MS = 5

/** The merchant's own program, as the stories of one or more runs have it: its process, and the gateway as it sees it. */
export class Application {
  #agent = new Agent({ keepAliveTimeout: 4000 })

  private constructor(
    private readonly settings: ApplicationSettings,
    private readonly proxy: GatewayProxy | undefined,
    private readonly started: ProcessSettings | undefined,
    private readonly folder: string | undefined,
    private process: ApplicationProcess | undefined,
  ) {}

  static async open(settings: ApplicationSettings): Promise<Application> {
    const { spec, cwd, gateway } = settings
    if (spec.start === undefined) return new Application(settings, undefined, undefined, undefined, undefined)
    const proxy = await GatewayProxy.open(gateway)
    const folder = await mkdtemp(join(tmpdir(), 'paysim-app-'))
    const [method = '', path = ''] = (spec.ready ?? '').split(' ')
    const { start: command } = spec
    for (let left = PORTS_TRIED - 1; ; left--) {
      const port = await freePort()
      const started: ProcessSettings = {
        command,
        cwd,
        port,
        ready: spec.ready === undefined ? undefined : { method, path },
        env: environmentOf(settings, { port, folder, gateway: proxy.url }),
      }
      try {
        const running = await ApplicationProcess.start(started)
        return new Application(settings, proxy, started, folder, running)
      } catch (cause) {
        if (left > 0 && isPortTaken(cause)) continue
        await proxy.close()
        await rm(folder, { recursive: true, force: true })
        throw cause
      }
    }
  }

  get url(): string {
    return this.process?.url ?? this.settings.spec.url ?? ''
  }

  get webhookUrl(): string {
    return `${this.url.replace(/\/+$/, '')}${this.settings.spec.webhooks ?? '/'}`
  }

  get credentials(): Credentials {
    return this.settings.credentials
  }

  /** How it ended, where nobody asked it to. */
  get unexpectedEnd(): string | undefined {
    return this.process?.unexpectedEnd
  }

  /** The last of what it printed. */
  get output(): string[] {
    return this.process?.output.lines() ?? []
  }

  /** A story begins: what the application does from now on belongs to it. */
  begin(settings: RunSettings): ApplicationRun {
    const run = new ApplicationRun(this, settings)
    if (this.proxy) run.attach(this.proxy)
    return run
  }

  async ask({ method, path, headers, body }: ApplicationRequest): Promise<ApplicationAnswer> {
    const lost = (why: string) => ({ status: 0, headers: {}, text: '', body: undefined, lost: why })
    try {
      const answer = await request(this.url + path, {
        dispatcher: this.#agent,
        method: method as 'GET',
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, headers: single(answer.headers), text, body: parse(text) }
    } catch (cause) {
      if (this.unexpectedEnd !== undefined) return lost(`the application ${this.unexpectedEnd}`)
      return lost(whyLost(cause))
    }
  }

  /** Waits until no call of the application waits for its answer any more. */
  async quiet(withinMs: number): Promise<void> {
    for (const deadline = performance.now() + withinMs; this.proxy?.busy && performance.now() < deadline; )
      await pause(GLANCE_MS)
  }

  /** Ends it with SIGKILL, as a crash would, and starts it again in the same environment. */
  async restart(): Promise<void> {
    if (!this.process || !this.started)
      throw new ApplicationError('an application that runs already cannot be restarted')
    await this.process.kill()
    await this.#agent.destroy()
    this.#agent = new Agent({ keepAliveTimeout: 4000 })
    this.process = await ApplicationProcess.start(this.started)
  }

  async close(): Promise<void> {
    // A server that ends politely would wait for connections that are still open.
    await this.#agent.destroy()
    await this.process?.end()
    await this.proxy?.close()
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true })
  }
}

interface Places {
  readonly port: number
  readonly folder: string
  readonly gateway: string
}

function environmentOf(
  { spec, credentials, run, env }: ApplicationSettings,
  { port, folder, gateway }: Places,
) {
  return {
    ...env,
    ...spec.env,
    PORT: String(port),
    PAYSIM_BASE_URL: gateway,
    PAYSIM_PUBLIC_KEY: credentials.publicKey,
    PAYSIM_SECRET_KEY: credentials.secretKey,
    PAYSIM_WEBHOOK_SECRET: credentials.webhookSecret,
    PAYSIM_APP_DATA: folder,
    PAYSIM_APP_RUN: run,
  }
}

const single = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function whyLost(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return `no answer within ${ANSWER_WITHIN_MS / 1000} s`
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
