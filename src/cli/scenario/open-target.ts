import type { GivenGateway } from '../../application/running-application.ts'
import { isLoopback, readBaseUrl } from '../../client/address.ts'
import { ControlError } from '../../client/errors.ts'
import { WEBHOOK_SECRET } from '../../contract/redact.ts'
import { startSimulator } from '../../library/start-simulator.ts'
import {
  type OpenTarget,
  openGatewayTarget,
  openSimulatorTarget,
  type Scenario,
} from '../../scenario/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { whereIs } from '../where/where.ts'
import type { RunFlags } from './run-flags.ts'

/** Where the scenarios run. Only the flag names a gateway: a run must not reach a real one by accident. */
async function openTarget(flags: RunFlags): Promise<OpenTarget> {
  if (isOwn(flags)) return startOwn()
  const { baseUrl, controlUrl, controlToken } = flags
  const where = whereIs({ baseUrl, controlUrl, controlToken })
  if (isReal(flags)) {
    const { baseUrl, keys } = await where.merchant()
    return openGatewayTarget({ baseUrl: addressOf(baseUrl), ...keys })
  }
  const control = await where.control()
  const url = baseUrl ?? control.controlUrl.replace(/\/_paysim$/, '')
  return openRunning({ url: addressOf(url), controlUrl: control.controlUrl, controlToken: control.token })
}

/** The scenarios whose application runs already. */
const withRunning = (scenarios: readonly Scenario[]) =>
  scenarios.filter(({ data }) => data.app?.url !== undefined)

/** Opens the address by which applications that run already call the gateway of the scenarios. */
export async function openFor(scenarios: readonly Scenario[], flags: RunFlags): Promise<OpenTarget> {
  const { gatewayPort } = flags
  const isNeeded = withRunning(scenarios).length > 0
  if (gatewayPort !== undefined && !isNeeded)
    throw new UsageError('--gateway-port is for an application that runs already: no file has app.url')
  const opened = await openTarget(flags)
  const { target } = opened
  if (!isNeeded || target.kind === 'gateway') return opened
  try {
    const given = await openGiven(target.baseUrl, gatewayPort)
    return {
      target: { ...target, given },
      async close() {
        await given.proxy.close()
        await opened.close()
      },
    }
  } catch (cause) {
    await opened.close()
    throw cause
  }
}

async function openGiven(gateway: string, port: number | undefined): Promise<GivenGateway> {
  // Loaded only when needed: they import an HTTP client and the code that starts processes.
  const { givenCredentials } = await import('../../application/running-application.ts')
  const { GatewayProxy } = await import('../../application/gateway-proxy.ts')
  const credentialsOf = givenCredentials(process.env)
  const { publicKey, webhookSecret } = credentialsOf('test')
  if (publicKey.includes(':')) throw new UsageError('PAYSIM_PUBLIC_KEY must not contain a colon')
  if (!WEBHOOK_SECRET.test(webhookSecret))
    throw new UsageError('PAYSIM_WEBHOOK_SECRET must be whsec_, followed by 24 to 64 bytes in base64')
  try {
    return { proxy: await GatewayProxy.open(gateway, port), credentialsOf }
  } catch (cause) {
    if (port === undefined || !(cause instanceof Error && 'code' in cause)) throw cause
    const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${cause.code}`
    throw new UsageError(
      `--gateway-port ${port} ${why}; choose another one, and tell the application that runs already`,
    )
  }
}

/** What to tell applications that run already, if there are any. */
export function toldApplications(
  scenarios: readonly Scenario[],
  { target }: OpenTarget,
  { gatewayPort }: RunFlags,
): string {
  const running = withRunning(scenarios)
  if (target.kind === 'gateway' || !target.given || running.length === 0) return ''
  const { proxy, credentialsOf } = target.given
  const urls = [...new Set(running.map(({ data }) => data.app?.url ?? ''))]
  const environments = [...new Set(running.map(({ data }) => data.environment ?? 'test'))]
  const keys = environments.map(credentialsOf).flatMap(({ publicKey, secretKey, webhookSecret }) => [
    ['PAYSIM_PUBLIC_KEY', publicKey],
    ['PAYSIM_SECRET_KEY', secretKey],
    ['PAYSIM_WEBHOOK_SECRET', webhookSecret],
  ])
  const far = urls.filter(url => !isLoopback(new URL(url).hostname))
  return [
    `${urls.join(' and ')} must run with this environment, which is the same for every run:`,
    `  PAYSIM_BASE_URL=${proxy.url}`,
    ...new Set(
      keys.map(([name = '', value]) =>
        process.env[name] ? `  ${name}, as in the environment of paysim` : `  ${name}=${value}`,
      ),
    ),
    ...(gatewayPort ? [] : [`--gateway-port ${proxy.port} keeps this address.`]),
    ...(far.length === 0
      ? []
      : [`${far.join(' and ')} is another machine, and needs a tunnel to that address.`]),
    'Its runs follow each other, as with --jobs 1.',
    '',
  ].join('\n')
}

/** A base URL without a control surface: a gateway that cannot be set up. */
export const isReal = (flags: RunFlags) => flags.baseUrl !== undefined && !namesSurface(flags)

/** Whether the scenarios run in a simulator that is started for them. */
export const isOwn = (flags: RunFlags) =>
  flags.embedded === true || (flags.baseUrl === undefined && !namesSurface(flags))

const namesSurface = ({ controlUrl }: RunFlags) =>
  controlUrl !== undefined || Boolean(process.env.PAYSIM_CONTROL_URL)

export async function startOwn(): Promise<OpenTarget> {
  const simulator = await startSimulator()
  const { target, close } = await openSimulatorTarget(simulator)
  return {
    target,
    async close() {
      await close()
      await simulator.stop()
    },
  }
}

async function openRunning(simulator: Parameters<typeof openSimulatorTarget>[0]): Promise<OpenTarget> {
  try {
    return await openSimulatorTarget(simulator)
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    throw new UsageError(
      `${simulator.controlUrl} is not a control surface that accepts this token: ${error.status}`,
    )
  }
}

function addressOf(text: string): string {
  const { origin, prefix } = readBaseUrl(text)
  return `${origin}${prefix}`
}
