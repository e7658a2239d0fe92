import { lookup } from 'node:dns/promises'
import { stat } from 'node:fs/promises'
import { connect, isIP, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { type PeerCertificate, connect as secureConnect } from 'node:tls'
import type { Address } from '../../client/address.ts'
import { ControlClient, ControlError } from '../../client/control-client.ts'
import { formatDuration } from '../../contract/durations.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { isOpenToOthers } from '../named-file.ts'
import { profilesPath, readProfiles } from '../profiles/profiles.ts'
import { accountNamed, dataDirectory, findLocalSimulator } from '../where/simulators.ts'
import { whereIs } from '../where/where.ts'
import { type Check, ok, problem, warning } from './report.ts'

/** Checks each step to the server separately, to find the one that fails. Returns true if all succeed. */
export async function* checkNetwork(connection: Connection): AsyncGenerator<Check, boolean> {
  const { address, proxy } = connection
  const peer = hostPortOf(proxy ?? new URL(address.origin))
  yield proxyCheck(connection)
  for (const step of [checkName, checkPort]) {
    const check = await step(peer, connection)
    if (check) yield check
    if (check?.verdict === 'fault') return false
  }
  // Behind a proxy, the TLS connection cannot be checked here. The call itself will show whether it works.
  if (!address.secure || proxy) return true
  const check = await checkTls(peer, connection)
  yield check
  return check.verdict !== 'fault'
}

function hostPortOf({ hostname, port, protocol }: URL): HostPort {
  const standard = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) }
}

const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']

function proxyCheck({ proxy, address }: Connection): Check {
  if (proxy) return ok('proxy', `${proxy.protocol}//${proxy.host}, from the environment`)
  const set = VARIABLES.find(name => process.env[name])
  return ok('proxy', set === undefined ? 'none' : `none: ${set} does not apply to ${address.hostname}`)
}

async function checkName({ host }: HostPort, { proxy }: Connection): Promise<Check | undefined> {
  if (isIP(host) !== 0) return undefined
  try {
    const found = await lookup(host, { all: true })
    return ok('dns', `${host} resolves to ${found.map(({ address }) => address).join(', ')}`)
  } catch (cause) {
    return problem('dns', `cannot resolve ${host} (${codeOf(cause)})`, {
      advice: proxy
        ? 'this is the proxy from the environment: check HTTPS_PROXY and HTTP_PROXY'
        : 'check the spelling of the base URL, and whether this machine needs another network or a VPN',
      exitCode: EXIT.noAnswer,
    })
  }
}

async function checkPort(peer: HostPort, { timeoutMs, address, proxy }: Connection): Promise<Check> {
  const startedAt = performance.now()
  const socket = connect({ ...peer, timeout: timeoutMs })
  try {
    await opened(socket, 'connect')
    return ok(
      'tcp',
      `connected to port ${peer.port} of ${peer.host} in ${Math.round(performance.now() - startedAt)} ms`,
    )
  } catch (cause) {
    const code = codeOf(cause)
    const what =
      code === 'TIMEOUT'
        ? `did not accept a connection within ${formatDuration(timeoutMs)}`
        : `refused the connection (${code})`
    return problem('tcp', `port ${peer.port} of ${peer.host} ${what}`, {
      advice: portAdvice(code, address, proxy),
      exitCode: EXIT.noAnswer,
    })
  } finally {
    socket.destroy()
  }
}

function portAdvice(code: string, { hostname }: Address, proxy: URL | undefined): string {
  if (proxy) return 'this is the proxy from the environment: check that it is running'
  if (/^(?:localhost|127\.|\[::1\])/.test(hostname))
    return 'nothing listens there: start a simulator with `paysim serve`'
  return code === 'TIMEOUT'
    ? 'a firewall may block it: check the port, and whether you need a VPN or a proxy'
    : 'check the port of the base URL'
}

const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Checks whether the server speaks TLS and has a valid certificate. */
async function checkTls({ host, port }: HostPort, { ca, timeoutMs }: Connection): Promise<Check> {
  const socket = secureConnect({
    host,
    port,
    timeout: timeoutMs,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  })
  try {
    await opened(socket, 'secureConnect')
    return certificateCheck(socket.getPeerCertificate(), socket.getProtocol() ?? 'TLS')
  } catch (cause) {
    const code = codeOf(cause)
    return problem('tls', `cannot open a TLS connection to ${host} (${code})`, {
      advice: adviceFor(code),
      exitCode: EXIT.noAnswer,
    })
  } finally {
    socket.destroy()
  }
}

function certificateCheck({ issuer, valid_to }: PeerCertificate, protocol: string): Check {
  const ends = new Date(valid_to)
  const until = Number.isNaN(ends.getTime()) ? valid_to : ends.toISOString().slice(0, 10)
  const by = issuer?.O ?? issuer?.CN ?? 'an unnamed authority'
  const message = `${protocol}, with a certificate from ${by}, valid until ${until}`
  const days = (ends.getTime() - Date.now()) / DAY_MS
  return days < SOON_DAYS
    ? warning('tls', message, 'the certificate expires soon: the operator of the server must renew it')
    : ok('tls', message)
}

function adviceFor(code: string): string {
  if (code === 'TIMEOUT')
    return 'the server accepted the connection but sent nothing: check that this is an https port'
  if (code === 'CERT_HAS_EXPIRED')
    return 'the certificate has expired: the operator of the server must renew it. Check the clock of this machine, too'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate is for another host: check the host of the base URL'
  if (/CERT|^UNABLE_TO_|SELF_SIGNED/.test(code))
    return 'if you trust the certificate authority, give its certificate with --ca-file'
  return 'the server does not speak TLS on this port: check whether the address is http://, or has another port'
}

interface Connection {
  readonly address: Address
  /** The proxy that connections go through, if any. */
  readonly proxy: URL | undefined
  readonly ca: string | undefined
  readonly timeoutMs: number
}

/** The host and the port to connect to. */
interface HostPort {
  readonly host: string
  readonly port: number
}

/** Resolves once the socket emits the event, and rejects on an error or a timeout. */
function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket
      .once(event, () => resolve())
      .once('error', reject)
      .once('timeout', () => reject(Object.assign(new Error('no answer in time'), { code: 'TIMEOUT' })))
  })
}

function codeOf(cause: unknown): string {
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause
  return inner instanceof Error && 'code' in inner && typeof inner.code === 'string'
    ? inner.code
    : String(cause)
}

/** The same as in package.json. */
const OLDEST_NODE = '20.19.0'

export function checkNode(version: string = process.versions.node): Check {
  const what = `Node ${version} on ${process.platform} ${process.arch}`
  if (!isOlder(version, OLDEST_NODE)) return ok('node', what)
  const advice = `install Node ${OLDEST_NODE} or later`
  return problem('node', `${what} is too old`, { advice, exitCode: EXIT.unexpected })
}

function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map(text => text.split('.').map(part => Number.parseInt(part, 10)))
  for (const [place, part] of (other ?? []).entries())
    if (one?.[place] !== part) return (one?.[place] ?? 0) < part
  return false
}

/** Checks the file of profiles, and who can read it. */
export async function* checkProfiles(): AsyncGenerator<Check> {
  const path = profilesPath()
  const file = await stat(path).catch(() => undefined)
  if (!file) return yield ok('profiles', `none: ${path} does not exist`)
  try {
    const { current, profiles } = await readProfiles()
    const count = Object.keys(profiles).length
    const inUse = current === null ? 'none of them current' : `${current} is current`
    yield current === null || Object.hasOwn(profiles, current)
      ? ok('profiles', `${count} in ${path}, ${inUse}`)
      : problem('profiles', `the current profile ${current} is not among the ${count} in ${path}`, {
          advice: 'choose another with `paysim profile use NAME`',
          exitCode: EXIT.usage,
        })
  } catch (cause) {
    const advice = 'correct this JSON file, or delete it and run `paysim init`'
    yield problem('profiles', messageOf(cause), { advice, exitCode: EXIT.usage })
  }
  yield* checkPermissions(path, file.mode)
}

async function* checkPermissions(path: string, mode: number): AsyncGenerator<Check> {
  const directory = await stat(dirname(path))
  if (isOpenToOthers(mode))
    yield warning(
      'permissions',
      `other users can read ${path}, which contains keys`,
      `run chmod 600 '${path}'`,
    )
  else if (isOpenToOthers(directory.mode))
    yield warning('permissions', `other users can open ${dirname(path)}`, `run chmod 700 '${dirname(path)}'`)
  else
    yield ok(
      'permissions',
      process.platform === 'win32' ? 'managed by Windows' : 'only you can read the profiles',
    )
}

/** Checks the local simulator, or the one that the environment names. */
export async function* checkSimulator(signal: AbortSignal): AsyncGenerator<Check> {
  const local = await findLocalSimulator()
  if (!local && !process.env.PAYSIM_CONTROL_URL)
    return yield ok('simulator', `none serves ${dataDirectory()}, and none was started in this folder`)
  let control: ControlClient
  let at: string
  try {
    const target = await whereIs({}).control()
    control = new ControlClient(target, { signal })
    at = `${target.controlUrl}, from ${target.from.controlUrl}`
  } catch (cause) {
    return yield problem('simulator', messageOf(cause), {
      advice: 'set PAYSIM_CONTROL_TOKEN to the token that `paysim serve` printed',
      exitCode: EXIT.usage,
    })
  }
  try {
    const check = await controlCheck(control, at)
    yield check
    if (check.verdict === 'ok') yield* checkWaiting(control)
  } finally {
    await control.close()
  }
}

async function controlCheck(control: ControlClient, at: string): Promise<Check> {
  try {
    await control.health()
    const merchants = await control.merchants.list()
    return ok(
      'simulator',
      `${at}, with ${merchants.length} ${merchants.length === 1 ? 'merchant' : 'merchants'}`,
    )
  } catch (cause) {
    if (cause instanceof ControlError)
      return problem('simulator', `${at}, answered ${cause.status}: ${cause.message}`, {
        advice: 'set PAYSIM_CONTROL_TOKEN to the token that `paysim serve` printed',
        exitCode: EXIT.credentials,
      })
    return warning(
      'simulator',
      `${at}, does not answer`,
      `it was probably killed: start it again with \`paysim serve\`, or delete ${dataDirectory()}/server.json`,
    )
  }
}

/** How many records of a kind are explained. The others are counted. */
const EXPLAINED = 5
const OPEN = {
  payments: 'pending,processing',
  payouts: 'requires_approval,processing',
} as const

/** Says why each open payment and payout waits: nothing is wrong with the calls, and yet nothing happens. */
async function* checkWaiting(control: ControlClient): AsyncGenerator<Check> {
  const account = accountNamed()
  const here = { account }
  try {
    const { mode } = await control.account(account).clock.get()
    for (const kind of ['payments', 'payouts'] as const) {
      const { data, total } = await control.call(`GET /accounts/:account/browse/${kind}`, {
        params: here,
        query: { status: OPEN[kind], limit: EXPLAINED },
      })
      for (const { id, merchant_reference: reference } of data) {
        const why = await control.call('GET /accounts/:account/why/:id', { params: { ...here, id } })
        const comesByItself = mode === 'real' && why.next?.by === 'timer'
        const message = `${[id, reference].filter(Boolean).join(' ')}: ${why.sentence}`
        const [command] = why.commands
        yield comesByItself || command === undefined
          ? ok('waiting', message)
          : warning('waiting', message, `run \`${command}\``)
      }
      if (total > data.length)
        yield ok('waiting', `${total - data.length} more open ${kind}: \`paysim sim ${kind} list\``)
    }
  } catch (cause) {
    // Another check has said what is wrong with the account, and a record may have been removed meanwhile.
    if (!(cause instanceof ControlError)) throw cause
  }
}
