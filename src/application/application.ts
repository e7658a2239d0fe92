import { rm } from 'node:fs/promises'
import { type Dispatcher, request } from 'undici'
import { ApplicationError } from './application-error.ts'
import { ApplicationRun, type RunSettings } from './application-run.ts'
import type { StartCommand } from './command-words.ts'
import { GatewayProxy } from './gateway-proxy.ts'
import { dataFolder, endIfInterrupted } from './leftovers.ts'
import { type ClaimedPort, claimPort } from './listening.ts'
import { shortLivedConnections, whyLost } from './post-webhook.ts'
import { ApplicationProcess, type ProcessSettings } from './process.ts'

/** The merchant's application, as a scenario file describes it. */
export interface ApplicationSpec {
  readonly start?: StartCommand | undefined
  /** The URL of an application that is already running. */
  readonly url?: string | undefined
  /** The path of its webhook endpoint. */
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
  /** The folder to start it in. */
  readonly cwd: string
  /** The base URL of the gateway. */
  readonly gateway: string
  readonly credentials: Credentials
  /** The name of the run, or of the first of several runs. */
  readonly run: string
  /** More environment variables. */
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
  /** Why there is no complete answer. */
  readonly lost?: string
}

/** Another process may take a free port before the application does. */
const PORTS_TRIED = 3
const isPortTaken = (cause: unknown) =>
  cause instanceof ApplicationError &&
  cause.output.some(line => /EADDRINUSE|address already in use/i.test(line))

const ANSWER_WITHIN_MS = 30_000
/** Whoever pressed Ctrl-C does not want to wait. */
const INTERRUPTED_PATIENCE_MS = 1000

/**
 * The merchant's own program during one or more runs: its process, and the proxy through which it reaches the gateway.
 */
export class Application {
  #agent = shortLivedConnections()
  readonly #forget = endIfInterrupted(() => this.#end(INTERRUPTED_PATIENCE_MS))

  private constructor(
    private readonly settings: ApplicationSettings,
    private readonly proxy: GatewayProxy | undefined,
    private readonly started: ProcessSettings | undefined,
    private readonly folder: string | undefined,
    private readonly place: ClaimedPort | undefined,
    private process: ApplicationProcess | undefined,
  ) {}

  static async open(settings: ApplicationSettings): Promise<Application> {
    const { spec, cwd, gateway } = settings
    if (spec.start === undefined)
      return new Application(settings, undefined, undefined, undefined, undefined, undefined)
    const proxy = await GatewayProxy.open(gateway)
    const folder = await dataFolder()
    const [method = '', path = ''] = (spec.ready ?? '').split(' ')
    const { start: command } = spec
    for (let left = PORTS_TRIED - 1; ; left--) {
      let place: ClaimedPort | undefined
      try {
        place = await claimPort()
        const { port } = place
        const started: ProcessSettings = {
          command,
          cwd,
          port,
          ready: spec.ready === undefined ? undefined : { method, path },
          env: environmentOf(settings, { port, folder, gateway: proxy.url }),
        }
        const running = await ApplicationProcess.start(started)
        return new Application(settings, proxy, started, folder, place, running)
      } catch (cause) {
        place?.release()
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

  /**
   * The connections to it.
   * @internal
   */
  get dispatcher(): Dispatcher {
    return this.#agent
  }

  get credentials(): Credentials {
    return this.settings.credentials
  }

  /** How it ended, if paysim did not end it. */
  get unexpectedEnd(): string | undefined {
    return this.process?.unexpectedEnd
  }

  /** The last lines that it printed. */
  get output(): string[] {
    return this.process?.output.lines() ?? []
  }

  /** Starts a run: from now on, what the application does belongs to that run. */
  begin(settings: RunSettings): ApplicationRun {
    const run = new ApplicationRun(this, settings)
    if (this.proxy) run.attach(this.proxy)
    return run
  }

  async ask(
    { method, path, headers, body }: ApplicationRequest,
    withinMs = ANSWER_WITHIN_MS,
  ): Promise<ApplicationAnswer> {
    const lost = (why: string) => ({ status: 0, headers: {}, text: '', body: undefined, lost: why })
    try {
      const answer = await request(this.url + path, {
        dispatcher: this.#agent,
        method: method as 'GET',
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(Math.ceil(withinMs)),
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, headers: single(answer.headers), text, body: parse(text) }
    } catch (cause) {
      if (this.unexpectedEnd !== undefined) return lost(`the application ${this.unexpectedEnd}`)
      return lost(whyLost(cause, withinMs))
    }
  }

  /** Waits until every call of the application has its answer. */
  async quiet(withinMs: number): Promise<void> {
    await this.proxy?.idle(withinMs)
  }

  /** Kills it with SIGKILL, as in a crash, and starts it again with the same environment. */
  async restart(): Promise<void> {
    if (!this.process || !this.started)
      throw new ApplicationError(
        'paysim did not start this application, so it cannot restart it: use app.start instead of app.url',
      )
    await this.process.kill()
    await this.#agent.destroy()
    this.#agent = shortLivedConnections()
    this.process = await ApplicationProcess.start(this.started)
  }

  async close(): Promise<void> {
    await this.#end()
    this.#forget()
  }

  async #end(patienceMs?: number): Promise<void> {
    // A server that stops gracefully would wait for open connections.
    await this.#agent.destroy()
    await this.process?.end(patienceMs)
    this.place?.release()
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
