import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { Application } from '../../application/application.ts'
import { ApplicationError } from '../../application/application-error.ts'
import { StartError } from '../../engine/store/store-errors.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { folderOf } from '../../scenario/load/scenario-files.ts'
import type { Scenario } from '../../scenario/schema/file.ts'

/** The application of a scenario file, while a command runs. */
export interface ScenarioApplication {
  /** What the command needs to know about it. */
  readonly environment: Readonly<Record<string, string>>
  /** The last lines that it printed. */
  readonly output: () => readonly string[]
  readonly close: () => Promise<void>
}

/** Starts the application of the last file that has one, and sends it the webhooks of the account. */
export async function openScenarioApplication(
  simulator: RunningSimulator,
  scenarios: readonly Scenario[],
  account: string,
): Promise<ScenarioApplication | undefined> {
  const scenario = scenarios.findLast(({ data }) => data.app)
  const spec = scenario?.data.app
  if (!scenario || !spec) return undefined
  if (spec.start === undefined && spec.url === undefined)
    throw new StartError(`${scenario.file}: app needs start or url`, 2)
  const { baseUrl, publicKey, secretKey } = await simulator.account(account)
  const webhookSecret = secretFor(secretKey)
  const application = await start(scenario.file, {
    spec,
    cwd: resolve(folderOf(scenario), spec.folder ?? '.'),
    gateway: baseUrl,
    credentials: { publicKey, secretKey, webhookSecret },
    run: 'exec',
    env: {
      PAYSIM_CONTROL_URL: simulator.controlUrl,
      PAYSIM_CONTROL_TOKEN: simulator.controlToken,
      PAYSIM_ACCOUNT: account,
    },
  })
  try {
    if (spec.webhooks !== undefined)
      await simulator.control.account(account).webhookEndpoints.add({
        url: application.webhookUrl,
        secret: webhookSecret,
        ...(spec.events ? { events: spec.events } : {}),
      })
  } catch (cause) {
    await application.close()
    throw cause
  }
  return {
    environment: { PAYSIM_APP_URL: application.url, PAYSIM_WEBHOOK_SECRET: webhookSecret },
    output: () => application.output,
    close: () => application.close(),
  }
}

async function start(file: string, settings: Parameters<typeof Application.open>[0]): Promise<Application> {
  try {
    return await Application.open(settings)
  } catch (cause) {
    if (!(cause instanceof ApplicationError)) throw cause
    throw new StartError(
      [`${file}: ${cause.message}`, ...cause.output.map(line => `  ${line}`)].join('\n'),
      2,
    )
  }
}

/** It must be known before the endpoint exists, and must be the same for the same keys. */
const secretFor = (secretKey: string) =>
  `whsec_${createHash('sha256').update(`webhooks ${secretKey}`).digest('base64')}`
