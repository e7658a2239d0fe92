import { rm } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { noAnswer, type ReceivedAnswer } from '../contract/wire-answer.ts'
import { ApplicationError } from './application-error.ts'
import { ApplicationRun, type RunSettings } from './application-run.ts'
import { GatewayProxy } from './gateway-proxy.ts'
import { type ClaimedPort, claimPort } from './listening.ts'
import { ApplicationProcess, type ProcessSettings } from './process.ts'
import type { StartCommand } from './process-family.ts'
import { dataFolder, endIfInterrupted } from './process-family.ts'
import { type ApplicationRequest, requestOnce, shortLivedConnections } from './request-once.ts'

const ANSWER_WITHIN_MS = 30_000
/** Short, because a user who pressed Ctrl-C does not want to wait. */
const INTERRUPTED_PATIENCE_MS = 1000

/**
 * The merchant's own program during one or more runs: its process, and the proxy through which it reaches the gateway.
 */
export class Application {
  #agent = shortLivedConnections()
  readonly #forget = endIfInterrupted(() => this.#end(INTERRUPTED_PATIENCE_MS))

  private constructor(
    private readonly settings: ApplicationSettings,
    /** Undefined if it was running already. */
    private readonly started: StartedApplication | undefined,
  ) {}

  static async open(settings: ApplicationSettings): Promise<Application> {
    const { start } = settings.spec
    const started = start === undefined ? undefined : await StartedApplication.start(settings, start)
    return new Application(settings, started)
  }

  get url(): string {
    return this.started?.process.url ?? this.settings.spec.url ?? ''
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
    return this.started?.process.unexpectedEnd
  }

  /** The last lines that it printed. */
  get output(): string[] {
    return this.started?.process.output.lines() ?? []
  }

  /** Starts a run: from now on, what the application does belongs to that run. */
  begin(settings: RunSettings): ApplicationRun {
    const run = new ApplicationRun(this, settings)
    if (this.started) run.attach(this.started.proxy)
    return run
  }

  async ask({ path, ...request }: ApplicationRequest, withinMs = ANSWER_WITHIN_MS): Promise<ReceivedAnswer> {
    const answer = await requestOnce(this.url + path, request, { withinMs, dispatcher: this.#agent })
    if (answer.lost === undefined || this.unexpectedEnd === undefined) return answer
    return noAnswer(`the application ${this.unexpectedEnd}`)
  }

  /** Waits until every call of the application has its answer. */
  async quiet(withinMs: number): Promise<void> {
    await this.started?.proxy.idle(withinMs)
  }

  /** Kills it with SIGKILL, as in a crash, and starts it again with the same environment. */
  async restart(): Promise<void> {
    if (!this.started)
      throw new ApplicationError(
        'paysim did not start this application, so it cannot restart it: use app.start instead of app.url',
      )
    await this.started.kill()
    await this.#agent.destroy()
    this.#agent = shortLivedConnections()
    await this.started.startAgain()
  }

  async close(): Promise<void> {
    await this.#end()
    this.#forget()
  }

  async #end(patienceMs?: number): Promise<void> {
    // A server that stops gracefully would wait for open connections.
    await this.#agent.destroy()
    await this.started?.end(patienceMs)
  }
}

/** The merchant's application, as a scenario file describes it. */
interface ApplicationSpec {
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

/** Another process may take a free port before the application does. */
const PORTS_TRIED = 3
const isPortTaken = (cause: unknown) =>
  cause instanceof ApplicationError &&
  cause.output.some(line => /EADDRINUSE|address already in use/i.test(line))

/** An application that paysim started: its process, its port, its data, and the proxy to the gateway. */
class StartedApplication {
  private constructor(
    readonly proxy: GatewayProxy,
    private readonly folder: string,
    private readonly place: ClaimedPort,
    private readonly settings: ProcessSettings,
    private running: ApplicationProcess,
  ) {}

  static async start(settings: ApplicationSettings, command: StartCommand): Promise<StartedApplication> {
    const proxy = await GatewayProxy.open(settings.gateway)
    const folder = await dataFolder()
    for (let left = PORTS_TRIED - 1; ; left--) {
      let place: ClaimedPort | undefined
      try {
        place = await claimPort()
        const own = processSettings(settings, command, { port: place.port, folder, gateway: proxy.url })
        return new StartedApplication(proxy, folder, place, own, await ApplicationProcess.start(own))
      } catch (cause) {
        place?.release()
        if (left > 0 && isPortTaken(cause)) continue
        await proxy.close()
        await rm(folder, { recursive: true, force: true })
        throw cause
      }
    }
  }

  get process(): ApplicationProcess {
    return this.running
  }

  kill(): Promise<void> {
    return this.running.kill()
  }

  /** Starts it again on the same port, with the same environment. */
  async startAgain(): Promise<void> {
    this.running = await ApplicationProcess.start(this.settings)
  }

  async end(patienceMs?: number): Promise<void> {
    await this.running.end(patienceMs)
    this.place.release()
    await this.proxy.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

interface Places {
  readonly port: number
  readonly folder: string
  readonly gateway: string
}

function processSettings(
  { spec, cwd, credentials, run, env }: ApplicationSettings,
  command: StartCommand,
  { port, folder, gateway }: Places,
): ProcessSettings {
  const [method = '', path = ''] = (spec.ready ?? '').split(' ')
  return {
    command,
    cwd,
    port,
    ready: spec.ready === undefined ? undefined : { method, path },
    env: {
      ...env,
      ...spec.env,
      PORT: String(port),
      PAYSIM_BASE_URL: gateway,
      PAYSIM_PUBLIC_KEY: credentials.publicKey,
      PAYSIM_SECRET_KEY: credentials.secretKey,
      PAYSIM_WEBHOOK_SECRET: credentials.webhookSecret,
      PAYSIM_APP_DATA: folder,
      PAYSIM_APP_RUN: run,
    },
  }
}
