import { startSimulator } from '../../library/start-simulator.ts'
import { Receiver, type Target, Wire } from '../../scenario/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import type { RunFlags } from './run-flags.ts'

export interface OpenTarget {
  readonly target: Target
  close(): Promise<void>
}

const CREATE_PATH = '/payment_intents'

/** Where the stories play. A base URL is taken from the flag alone: a run must not reach a real gateway by accident. */
export async function openTarget(flags: RunFlags): Promise<OpenTarget> {
  const { controlUrl, controlToken, baseUrl, embedded } = flags
  const wire = new Wire()
  if (embedded) return startOwn(wire)
  if (isReal(flags)) return openBase(baseUrl ?? '', wire)
  if (controlUrl === undefined) return startOwn(wire)
  if (controlToken === undefined)
    throw new UsageError('--control-url needs --control-token, or PAYSIM_CONTROL_TOKEN')
  const control = address('--control-url', controlUrl)
  const merchant = baseUrl === undefined ? control.replace(/\/_paysim$/, '') : address('--base-url', baseUrl)
  return openRunning({ url: merchant, controlUrl: control, controlToken }, wire)
}

/** A base URL without a control surface is a gateway as it is. */
export const isReal = ({ controlUrl, baseUrl }: RunFlags) => baseUrl !== undefined && controlUrl === undefined

async function startOwn(wire: Wire): Promise<OpenTarget> {
  const simulator = await startSimulator()
  const { target, close } = await openRunning(simulator, wire)
  return {
    target,
    async close() {
      await close()
      await simulator.stop()
    },
  }
}

interface Running {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
}

async function openRunning({ url, controlUrl, controlToken }: Running, wire: Wire): Promise<OpenTarget> {
  const answer = await wire.send({
    method: 'GET',
    url: `${controlUrl}/contract`,
    headers: { authorization: `Bearer ${controlToken}` },
  })
  if (answer.status !== 200)
    throw new UsageError(
      `${controlUrl} is no control surface that takes this token: ${answer.lost ?? answer.status}`,
    )
  const contract = answer.body as Record<string, { value: string }>
  const receiver = await Receiver.open()
  const createPath = contract['create.path']?.value ?? CREATE_PATH
  const merchants = new Set<string>()
  const target: Target = {
    kind: 'simulator',
    baseUrl: url,
    controlUrl,
    controlToken,
    receiver,
    merchants,
    createPath,
    wire,
  }
  return { target, close: () => leave(target) }
}

/** Nothing stays behind in a simulator that goes on, also where the run was broken off. */
async function leave({
  merchants,
  controlUrl,
  controlToken,
  wire,
  receiver,
}: Extract<Target, { kind: 'simulator' }>): Promise<void> {
  const headers = { authorization: `Bearer ${controlToken}` }
  for (const merchant of merchants)
    await wire.send({ method: 'DELETE', url: `${controlUrl}/merchants/${merchant}`, headers }).catch(() => {})
  await wire.close()
  await receiver.close()
}

function openBase(baseUrl: string, wire: Wire): OpenTarget {
  const { PAYSIM_PUBLIC_KEY: publicKey, PAYSIM_SECRET_KEY: secretKey } = process.env
  if (!publicKey || !secretKey)
    throw new UsageError('--base-url needs PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY')
  const url = address('--base-url', baseUrl)
  return {
    target: { kind: 'base', baseUrl: url, publicKey, secretKey, createPath: CREATE_PATH, wire },
    close: () => wire.close(),
  }
}

function address(flag: string, text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`${flag} must be an http or https URL`)
  return text.replace(/\/+$/, '')
}
