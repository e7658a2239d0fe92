import { rm } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { noAnswer, type ReceivedAnswer } from '../contract/wire-answer.ts'
import { ApplicationError } from './application-error.ts'
import { ApplicationRun, type RunSettings } from './application-run.ts'
import { GatewayProxy } from './gateway-proxy.ts'
import { type ClaimedPort, claimPort } from './listening.ts'
import { ApplicationProcess, type ProcessSettings } from './process.ts'
import { dataFolder, endIfInterrupted, type StartCommand } from './process-family.ts'
import {
  type ApplicationRequest,
  type ReadyRequest,
  requestOnce,
  shortLivedConnections,
} from './request-once.ts'
import { type Credentials, RunningApplication } from './running-application.ts'

const ANSWER_WITHIN_MS = 30_000
/** Short, because a user who pressed Ctrl-C does not want to wait. */
const INTERRUPTED_PATIENCE_MS = 1000
/** After this, an application has repeated a call that was refused for a second. */
const REPEATED_AFTER_MS = 1500
const REST_WITHIN_MS = 10_000

/** How an application is served: by a process that paysim started, or by somebody else. */
interface ServedApplication {
  readonly url: string
  /** The proxy through which it reaches the gateway. */
  readonly proxy: GatewayProxy | undefined
  /** How it ended, if paysim did not end it. */
  readonly unexpectedEnd: string | undefined
  /** The last lines that it printed. */
  readonly output: string[]
  /** Why nothing more can be asked of it. */
  readonly gone?: string | undefined
  awaitReady?(): Promise<void>
  /** Restarts it with the same environment. */
  restart(): Promise<void>
  end(patienceMs?: number): Promise<void>
}

/**
 * The merchant's own program during one or more runs: its process, and the proxy through which it reaches the gateway.
 */
export class Application {
  #agent = shortLivedConnections()
  readonly #forget = endIfInterrupted(() => this.#end(INTERRUPTED_PATIENCE_MS))

  private constructor(
    private readonly settings: ApplicationSettings,
    private readonly served: ServedApplication,
  ) {}

  static async open(settings: ApplicationSettings): Promise<Application> {
    const { start, url = '', restart, env } = settings.spec
    const ready = readyOf(settings.spec)
    const served =
      start === undefined
        ? new RunningApplication({ ...settings, url, restart, env, ready })
        : await StartedApplication.start(settings, start)
    return new Application(settings, served)
  }

  get url(): string {
    return this.served.url
  }

  get webhookUrl(): string {
    return `${this.url}${this.settings.spec.webhooks ?? '/'}`
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
    return this.served.unexpectedEnd
  }

  /** The last lines that it printed. */
  get output(): string[] {
    return this.served.output
  }

  /** Starts a run: from now on, what the application does belongs to that run. */
  begin(settings: RunSettings): ApplicationRun {
    const run = new ApplicationRun(this, settings)
    const { proxy } = this.served
    if (proxy) run.attach(proxy)
    return run
  }

  async ask({ path, ...request }: ApplicationRequest, withinMs = ANSWER_WITHIN_MS): Promise<ReceivedAnswer> {
    const answer = await requestOnce(this.url + path, request, { withinMs, dispatcher: this.#agent })
    if (answer.lost === undefined || this.unexpectedEnd === undefined) return answer
    return noAnswer(`the application ${this.unexpectedEnd}`)
  }

  /** Waits until every call of the application has its answer. */
  async quiet(withinMs: number): Promise<void> {
    await this.served.proxy?.idle(withinMs)
  }

  /** Waits until it answers, if paysim did not start it. */
  async awaitReady(): Promise<void> {
    await this.served.awaitReady?.()
  }

  /** Why nothing more can be asked of it, though it may have been ready before. */
  get gone(): string | undefined {
    return this.served.gone
  }

  async restart(): Promise<void> {
    await this.served.restart()
    // Connections to the process before are of no use.
    await this.#agent.destroy()
    this.#agent = shortLivedConnections()
  }

  /** After a failed run it may be in any state: ends it if paysim started it, and returns whether it did. */
  async giveUp(): Promise<boolean> {
    if (this.served instanceof StartedApplication) {
      await this.close()
      return true
    }
    // What it still repeats would be taken for a part of the next run.
    await this.served.proxy?.atRest(REPEATED_AFTER_MS, REST_WITHIN_MS)
    return false
  }

  async close(): Promise<void> {
    await this.#end()
    this.#forget()
  }

  async #end(patienceMs?: number): Promise<void> {
    // A server that stops gracefully would wait for open connections.
    await this.#agent.destroy()
    await this.served.end(patienceMs)
  }
}

/** The merchant's application, as a scenario file describes it. */
interface ApplicationSpec {
  readonly start?: StartCommand | undefined
  /** The URL of an application that is already running. */
  readonly url?: string | undefined
  /** The command that restarts an application that is already running. */
  readonly restart?: StartCommand | undefined
  /** The path of its webhook endpoint. */
  readonly webhooks?: string | undefined
  readonly ready?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
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
  /** The proxy through which an application that is already running reaches the gateway. */
  readonly proxy?: GatewayProxy | undefined
  /** More environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

/** Another process may take a free port before the application does. */
const PORTS_TRIED = 3
const isPortTaken = (cause: unknown) =>
  cause instanceof ApplicationError &&
  cause.output.some(line => /EADDRINUSE|address already in use/i.test(line))

/** An application that paysim started: its process, its port, its data, and the proxy to the gateway. */
class StartedApplication implements ServedApplication {
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

  get url(): string {
    return this.running.url
  }

  get unexpectedEnd(): string | undefined {
    return this.running.unexpectedEnd
  }

  get output(): string[] {
    return this.running.output.lines()
  }

  /** Kills it with SIGKILL, as in a crash, and starts it again on the same port. */
  async restart(): Promise<void> {
    await this.running.kill()
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

function readyOf({ ready }: ApplicationSpec): ReadyRequest | undefined {
  const [method = '', path = ''] = (ready ?? '').split(' ')
  return ready === undefined ? undefined : { method, path }
}

function processSettings(
  { spec, cwd, credentials, run, env }: ApplicationSettings,
  command: StartCommand,
  { port, folder, gateway }: Places,
): ProcessSettings {
  return {
    command,
    cwd,
    port,
    ready: readyOf(spec),
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
