import type { GivenGateway } from '../../application/running-application.ts'
import { ControlClient } from '../../client/control-client.ts'
import type { Contract } from '../../contract/decisions.ts'
import { ContractError, resolveContract } from '../../contract/resolve-contract.ts'
import { WebhookReceiver } from '../../library/webhook-receiver.ts'
import { Wire } from './wire.ts'

/** Where a scenario runs: a simulator that it controls, or a gateway of which it knows only the base URL. */
export type Target = SimulatorTarget | GatewayTarget

export interface SimulatorTarget {
  readonly kind: 'simulator'
  readonly baseUrl: string
  readonly control: ControlClient
  /** For an application or a command that uses the control surface itself. */
  readonly controlUrl: string
  readonly controlToken: string
  /** The decisions in force. */
  readonly contract: Contract
  readonly receiver: WebhookReceiver
  /** Merchants that were created and not removed yet. */
  readonly merchants: Set<string>
  readonly createPath: string
  readonly wire: Wire
  /** For applications that run already. */
  readonly given?: GivenGateway | undefined
}

export interface GatewayTarget {
  readonly kind: 'gateway'
  readonly baseUrl: string
  readonly publicKey: string
  readonly secretKey: string
  readonly createPath: string
  readonly wire: Wire
}

export interface OpenTarget<T extends Target = Target> {
  readonly target: T
  /** Removes all merchants that are left, even if a run was interrupted. */
  close(): Promise<void>
}

const CREATE_PATH = '/payment_intents'

/** Throws a `ControlError` if the token is wrong. */
export async function openSimulatorTarget({
  url,
  controlUrl,
  controlToken,
  control = new ControlClient({ controlUrl, token: controlToken }),
}: {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
  /** The client of a simulator that was started here. */
  readonly control?: ControlClient
}): Promise<OpenTarget<SimulatorTarget>> {
  const contract = await contractInForce(control)
  const target: SimulatorTarget = {
    kind: 'simulator',
    baseUrl: url,
    control,
    controlUrl,
    controlToken,
    contract,
    receiver: await WebhookReceiver.open(),
    merchants: new Set(),
    createPath: contract['create.path'],
    wire: new Wire(),
  }
  return { target, close: () => leave(target) }
}

async function leave({ merchants, control, wire, receiver }: SimulatorTarget): Promise<void> {
  for (const merchant of merchants) await control.merchants.remove(merchant).catch(() => {})
  await control.close()
  await wire.close()
  await receiver.close()
}

export function openGatewayTarget(gateway: {
  readonly baseUrl: string
  readonly publicKey: string
  readonly secretKey: string
}): OpenTarget<GatewayTarget> {
  const wire = new Wire()
  const target: GatewayTarget = { kind: 'gateway', ...gateway, createPath: CREATE_PATH, wire }
  return { target, close: () => wire.close() }
}

/** The decisions of a running simulator. If its version has other decisions than this one, the defaults are used. */
async function contractInForce(control: ControlClient): Promise<Contract> {
  const reported = Object.entries(await control.contract())
  const switches = reported.filter(([, { kind }]) => kind === 'switch')
  try {
    return resolveContract(Object.fromEntries(switches.map(([key, { value }]) => [key, value])))
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return resolveContract()
  }
}
