import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { ControlAddress } from '../../client/control-http.ts'
import { UsageFault } from '../faults/usage-fault.ts'
import { dataDirectory, findLocalSimulator, type LocalSimulator } from '../target/local-simulator.ts'
import type { ControlTargetFlags } from './flags.ts'

/** The control surface that is meant, and where it was found. */
export interface ControlTarget extends ControlAddress {
  readonly from: { readonly controlUrl: string; readonly token: string }
  /** Where the merchant API of the same simulator is, if that is known. */
  readonly url: string | undefined
}

/** Flag beats environment beats the simulator that runs here. Without a token, the stand-in will do. */
export async function findControl(flags: ControlTargetFlags, standIn?: string): Promise<ControlTarget> {
  const local = await findLocalSimulator()
  const place = placeOf(flags, local)
  if (!place) throw new UsageFault(nowhere())
  const controlUrl = surfaceAt(place.value, place.from)
  // A token opens its own simulator, and is no business of any other.
  const here = local && sameOrigin(controlUrl, local.control_url) ? local : undefined
  const token =
    (await tokenOf(flags, here)) ?? (standIn === undefined ? undefined : found(standIn, 'nowhere'))
  if (!token) throw new UsageFault(noToken(controlUrl))
  return {
    controlUrl,
    token: token.value,
    from: { controlUrl: place.from, token: token.from },
    url: here?.url ?? (place.from === IN_ENVIRONMENT ? process.env.PAYSIM_BASE_URL || undefined : undefined),
  }
}

const IN_ENVIRONMENT = 'PAYSIM_CONTROL_URL'

interface Found {
  readonly value: string
  readonly from: string
}

const found = (value: string, from: string): Found => ({ value, from })

function placeOf({ controlUrl }: ControlTargetFlags, local: LocalSimulator | undefined): Found | undefined {
  const { PAYSIM_CONTROL_URL } = process.env
  if (controlUrl !== undefined) return found(controlUrl, '--control-url')
  if (PAYSIM_CONTROL_URL) return found(PAYSIM_CONTROL_URL, IN_ENVIRONMENT)
  return local && found(local.control_url, 'the simulator that runs here')
}

async function tokenOf(
  { controlToken, controlTokenFile }: ControlTargetFlags,
  here: LocalSimulator | undefined,
): Promise<Found | undefined> {
  const { PAYSIM_CONTROL_TOKEN } = process.env
  if (controlToken !== undefined && controlTokenFile !== undefined)
    throw new UsageFault(
      '--control-token and --control-token-file are two ways of one thing: give one of them',
    )
  if (controlToken !== undefined) return found(controlToken, '--control-token')
  if (controlTokenFile !== undefined) return found(await readToken(controlTokenFile), '--control-token-file')
  if (PAYSIM_CONTROL_TOKEN) return found(PAYSIM_CONTROL_TOKEN, 'PAYSIM_CONTROL_TOKEN')
  return here && found(here.control_token, 'the simulator that runs here')
}

async function readToken(path: string): Promise<string> {
  const contents =
    path === '-' ? await text(process.stdin) : await readFile(path, 'utf8').catch(unreadable(path))
  const token = contents.replace(/^\uFEFF/, '').trim()
  if (/^\S+$/.test(token)) return token
  throw new UsageFault(`${path === '-' ? 'stdin' : path} holds no token: one word is wanted`)
}

const unreadable = (path: string) => (cause: unknown) => {
  throw new UsageFault(
    `--control-token-file ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
  )
}

/** The address as `serve` prints it, or that of the server alone. */
function surfaceAt(written: string, from: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageFault(`${from} must be the address of a control surface, as http://127.0.0.1:7297/_paysim`)
  return `${url.origin}${url.pathname === '/' ? '/_paysim' : url.pathname}`
}

const sameOrigin = (one: string, other: string) =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin

const nowhere = () => `which simulator? None serves ${dataDirectory()}, and none is named.
Start one with \`paysim serve\`, name the directory of one in PAYSIM_DATA, or give --control-url and a token.`

const noToken = (controlUrl: string) => `there is no token for ${new URL(controlUrl).origin}.
\`paysim serve\` prints it: set PAYSIM_CONTROL_TOKEN, or give --control-token-file.`
