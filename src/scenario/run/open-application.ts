import { resolve } from 'node:path'
import type { Application } from '../../application/application.ts'
import { type Patience, PlayedApplication } from './played-application.ts'
import type { Stage } from './stage.ts'

/** One process for several runs: the first one starts it. */
export class SharedApplication {
  application: Application | undefined

  /** Ends it; the next run starts another one. */
  async close(): Promise<void> {
    const { application } = this
    this.application = undefined
    await application?.close()
  }
}

/** Lets the application of a file take part: its own process, or one that other runs have as well. */
export async function openApplication(
  stage: Stage,
  shared: SharedApplication | undefined,
  patience: Patience | undefined,
): Promise<Application | undefined> {
  const { scenario, target } = stage
  const { app: spec } = scenario.data
  if (!spec || target.kind !== 'simulator') return undefined
  const account = stage.simulated
  const { inbox, control } = account
  // It brings an HTTP client and all that starts a process: a story without an application does not load them.
  const { Application } = await import('../../application/application.ts')
  const keys = account.keys[account.environment]
  const app =
    shared?.application ??
    (await Application.open({
      spec,
      cwd: resolve(scenario.folder, spec.folder ?? '.'),
      gateway: target.baseUrl,
      credentials: {
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
  const { credentials } = app
  const run = app.begin({
    secret: inbox.secret,
    authorization: {
      given: basic(credentials.publicKey, credentials.secretKey),
      own: basic(keys.publicKey, keys.secretKey),
    },
    doWhatIsDue: () => control.clock.advance('0s'),
    look: () => played.look(stage),
  })
  const played = new PlayedApplication(app, run, patience)
  stage.application = played
  if (spec.webhooks !== undefined) inbox.onward = message => run.take(message)
  return app
}

const basic = (publicKey: string, secretKey: string) =>
  `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
