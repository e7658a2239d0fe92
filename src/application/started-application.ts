import { rm } from 'node:fs/promises'
import { ApplicationError } from './application-error.ts'
import type { StartCommand } from './command-words.ts'
import { GatewayProxy } from './gateway-proxy.ts'
import { dataFolder } from './leftovers.ts'
import { type ClaimedPort, claimPort } from './listening.ts'
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

/** Another process may take a free port before the application does. */
const PORTS_TRIED = 3
const isPortTaken = (cause: unknown) =>
  cause instanceof ApplicationError &&
  cause.output.some(line => /EADDRINUSE|address already in use/i.test(line))

/** An application that paysim started: its process, its port, its data, and the proxy to the gateway. */
export class StartedApplication {
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
