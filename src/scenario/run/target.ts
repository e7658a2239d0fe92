import { ControlClient } from '../../client/control-client.ts'
import { WebhookReceiver } from '../../library/webhook-receiver.ts'
import { Wire } from './wire.ts'

/** Where a scenario runs: a simulator under our control, or a gateway of which only the base URL is known. */
export type Target = SimulatorTarget | GatewayTarget

export interface SimulatorTarget {
  readonly kind: 'simulator'
  readonly baseUrl: string
  readonly control: ControlClient
  /** For an application or a command that wants to open the control surface itself. */
  readonly controlUrl: string
  readonly controlToken: string
  readonly receiver: WebhookReceiver
  /** Merchants that were made and not removed yet. */
  readonly merchants: Set<string>
  readonly createPath: string
  readonly wire: Wire
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
  /** Leaves nothing behind, also where a run was stopped half-way. */
  close(): Promise<void>
}

const CREATE_PATH = '/payment_intents'

/** Throws a `ControlError` where the token does not open this control surface. */
export async function openSimulatorTarget({
  url,
  controlUrl,
  controlToken,
}: {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
}): Promise<OpenTarget<SimulatorTarget>> {
  const control = new ControlClient({ controlUrl, token: controlToken })
  const contract = await control.contract()
  const target: SimulatorTarget = {
    kind: 'simulator',
    baseUrl: url,
    control,
    controlUrl,
    controlToken,
    receiver: await WebhookReceiver.open(),
    merchants: new Set(),
    createPath: contract['create.path']?.value ?? CREATE_PATH,
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
