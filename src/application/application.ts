import type { Dispatcher } from 'undici'
import { noAnswer, type ReceivedAnswer } from '../contract/wire-answer.ts'
import { ApplicationError } from './application-error.ts'
import { ApplicationRun, type RunSettings } from './application-run.ts'
import { endIfInterrupted } from './leftovers.ts'
import { type OnceRequest, requestOnce, shortLivedConnections } from './request-once.ts'
import { type ApplicationSettings, type Credentials, StartedApplication } from './started-application.ts'

export interface ApplicationRequest extends OnceRequest {
  readonly path: string
}

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
