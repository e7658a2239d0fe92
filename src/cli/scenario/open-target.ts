import { ControlError } from '../../client/errors.ts'
import { startSimulator } from '../../library/start-simulator.ts'
import { type OpenTarget, openGatewayTarget, openSimulatorTarget } from '../../scenario/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import type { RunFlags } from './run-flags.ts'

/** Where the scenarios run. Only the flag names a gateway: a run must not reach a real one by accident. */
export async function openTarget(flags: RunFlags): Promise<OpenTarget> {
  const { controlUrl, controlToken, baseUrl, embedded } = flags
  if (embedded) return startOwn()
  if (isReal(flags)) return openGateway(baseUrl ?? '')
  if (controlUrl === undefined) return startOwn()
  if (controlToken === undefined)
    throw new UsageError('--control-url needs a token: set --control-token or PAYSIM_CONTROL_TOKEN')
  const control = address('--control-url', controlUrl)
  const url = baseUrl === undefined ? control.replace(/\/_paysim$/, '') : address('--base-url', baseUrl)
  return openRunning({ url, controlUrl: control, controlToken })
}

/** A base URL without a control surface: a gateway that cannot be set up. */
export const isReal = ({ controlUrl, baseUrl }: RunFlags) => baseUrl !== undefined && controlUrl === undefined

async function startOwn(): Promise<OpenTarget> {
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

function openGateway(baseUrl: string): OpenTarget {
  const { PAYSIM_PUBLIC_KEY: publicKey, PAYSIM_SECRET_KEY: secretKey } = process.env
  if (!publicKey || !secretKey)
    throw new UsageError('--base-url needs keys: set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY')
  return openGatewayTarget({ baseUrl: address('--base-url', baseUrl), publicKey, secretKey })
}

function address(flag: string, text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`${flag} must be an http or https URL`)
  return text.replace(/\/+$/, '')
}
