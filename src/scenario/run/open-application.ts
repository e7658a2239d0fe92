import { resolve } from 'node:path'
import type { Application } from '../../application/application.ts'
import type { WayBack } from '../../application/payer.ts'
import type { EventBody } from '../../application/webhook-variants.ts'
import type { AccountControl } from '../../client/control-client.ts'
import { basicAuthorization } from '../../client/credentials.ts'
import { folderOf } from '../load/scenario-files.ts'
import type { ScenarioData } from '../schema/file.ts'
import { type Patience, PlayedApplication, usualRunOf } from './played-application.ts'
import { type Scope, UnknownReferenceError } from './scope.ts'
import type { Stage } from './stage.ts'

/** Whether one application serves all runs of a file, so that no name or id may come again. */
export const isShared = ({ app }: ScenarioData) => app?.fresh === 'never' || app?.url !== undefined

/** One application for several runs; the first run opens it. */
export class SharedApplication {
  application: Application | undefined

  constructor(
    /** Whether it is restarted before the first run, which shows that it can be. */
    public restartsFirst = false,
  ) {}

  /** Ends it after a failed run, if paysim started it. */
  async giveUp(): Promise<void> {
    if (await this.application?.giveUp()) this.application = undefined
  }

  /** Ends it. The next run starts a new one. */
  async close(): Promise<void> {
    const { application } = this
    this.application = undefined
    await application?.close()
  }
}

export interface ApplicationSettings {
  /** The application that several runs share; it continues after this run. */
  readonly shared?: SharedApplication | undefined
  readonly patience?: Patience | undefined
  /** Is called when the application does something, or something is done to it. */
  readonly onActivity?: (() => void) | undefined
}

/** Starts the application of a file, or reuses the one that other runs share. */
export async function openApplication(
  stage: Stage,
  { shared, patience, onActivity }: ApplicationSettings,
): Promise<Application | undefined> {
  const { scenario, target } = stage
  const { app: spec } = scenario.data
  if (!spec || target.kind !== 'simulator') return undefined
  const account = stage.simulated
  const { inbox, control } = account
  // Loaded only when needed: it imports an HTTP client and the code that starts processes.
  const { Application } = await import('../../application/application.ts')
  const keys = account.keys[account.environment]
  const given = spec.url === undefined ? undefined : target.given
  const app =
    shared?.application ??
    (await Application.open({
      spec,
      cwd: resolve(folderOf(scenario), spec.folder ?? '.'),
      gateway: target.baseUrl,
      proxy: given?.proxy,
      credentials: given?.credentialsOf(account.environment) ?? {
        publicKey: keys.publicKey,
        secretKey: keys.secretKey,
        webhookSecret: inbox.secret,
      },
      run: stage.run,
      env: {
        PAYSIM_CONTROL_URL: target.controlUrl,
        PAYSIM_CONTROL_TOKEN: target.controlToken,
        PAYSIM_ACCOUNT: account.id,
      },
    }))
  if (shared) shared.application = app
  await app.awaitReady()
  if (shared?.restartsFirst) {
    await app.restart()
    shared.restartsFirst = false
  }
  const { credentials } = app
  const run = app.begin({
    secret: inbox.secret,
    contract: target.contract,
    authorization: {
      given: basicAuthorization(credentials.publicKey, credentials.secretKey),
      own: basicAuthorization(keys.publicKey, keys.secretKey),
    },
    fireDueTimers: () => control.clock.advance('0s'),
    arrivesLate: async record => {
      if (await hasExpiredSince(control, record)) played.isTainted = true
    },
    onActivity,
    wayBackOf: payment => wayBackOf(payment, stage),
    look: () => played.look(stage),
  })
  const played = new PlayedApplication(app, run, patience, usualRunOf(stage))
  stage.application = played
  if (spec.webhooks !== undefined) inbox.onward = message => run.take(message)
  return app
}

/** Where the payer of a payment returns to, with the headers of the step in which that happens, if they are known by now. */
async function wayBackOf(payment: string, stage: Stage): Promise<WayBack | undefined> {
  const { return_url: url } = await stage.simulated.control.payments.get(payment)
  if (url === null) return undefined
  return { url, headers: headersOfReturn(stage.scenario.data.steps ?? [], payment, stage.scope) ?? {} }
}

function headersOfReturn(steps: readonly object[], payment: string, scope: Scope) {
  for (const step of steps) {
    const { 'payer returns': value, headers } = step as ReturnStep
    if (value === undefined) continue
    try {
      if (paymentIn(scope.resolve(value)) === payment) return scope.resolve(headers)
    } catch (error) {
      if (!(error instanceof UnknownReferenceError)) throw error
    }
  }
  return undefined
}

interface ReturnStep {
  readonly 'payer returns'?: string
  readonly headers?: Record<string, string>
}

/** The payment that an id, or the address of a page, names. */
export const paymentIn = (idOrPage: string): string =>
  /^https?:/.test(idOrPage) ? (new URL(idOrPage).pathname.split('/').at(-1) ?? '') : idOrPage

/** Whether the payment of an event has expired since. Then the application can no longer do what the event asks for. */
async function hasExpiredSince({ payments }: AccountControl, { id, object, status }: EventBody['data']) {
  if (object !== 'payment_intent' || status === 'expired') return false
  return (await payments.get(String(id))).status === 'expired'
}
