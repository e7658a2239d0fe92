import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { type PeerCertificate, connect as secureConnect } from 'node:tls'
import type { Address } from '../../client/address.ts'
import { EXIT } from '../errors/exit-code.ts'
import { type Check, fault, ok, warning } from './report.ts'

/** Each step to the server apart, so that the one that fails is known. True where all of them went well. */
export async function* checkNetwork(way: Way): AsyncGenerator<Check, boolean> {
  const { address, proxy } = way
  const end = endOf(proxy ?? new URL(address.origin))
  yield proxyCheck(way)
  for (const step of [checkName, checkPort]) {
    const check = await step(end, way)
    if (check) yield check
    if (check?.verdict === 'fault') return false
  }
  // Behind a proxy, TLS begins where the proxy ends: the call itself will tell.
  if (!address.secure || proxy) return true
  const check = await checkTls(end, way)
  yield check
  return check.verdict !== 'fault'
}

function endOf({ hostname, port, protocol }: URL): End {
  const standard = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) }
}

const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']

function proxyCheck({ proxy, address }: Way): Check {
  if (proxy) return ok('proxy', `${proxy.protocol}//${proxy.host}, by the environment`)
  const set = VARIABLES.find(name => process.env[name])
  return ok('proxy', set === undefined ? 'none' : `none: ${set} does not hold for ${address.hostname}`)
}

async function checkName({ host }: End, { proxy }: Way): Promise<Check | undefined> {
  if (isIP(host) !== 0) return undefined
  try {
    const found = await lookup(host, { all: true })
    return ok('dns', `${host} is ${found.map(({ address }) => address).join(', ')}`)
  } catch (cause) {
    return fault('dns', `the name ${host} is not found (${codeOf(cause)})`, {
      advice: proxy
        ? 'it is the proxy of the environment: check HTTPS_PROXY and HTTP_PROXY'
        : 'check the spelling of the base URL, and whether this machine is on the network (or VPN) that knows it',
      exitCode: EXIT.noAnswer,
    })
  }
}

async function checkPort(end: End, { timeoutMs, address, proxy }: Way): Promise<Check> {
  const startedAt = performance.now()
  const socket = connect({ ...end, timeout: timeoutMs })
  try {
    await opened(socket, 'connect')
    return ok(
      'tcp',
      `port ${end.port} of ${end.host} takes connections, after ${Math.round(performance.now() - startedAt)} ms`,
    )
  } catch (cause) {
    const code = codeOf(cause)
    const what =
      code === 'TIMEOUT' ? `took no connection within ${timeoutMs} ms` : `took no connection (${code})`
    return fault('tcp', `port ${end.port} of ${end.host} ${what}`, {
      advice: portAdvice(code, address, proxy),
      exitCode: EXIT.noAnswer,
    })
  } finally {
    socket.destroy()
  }
}

function portAdvice(code: string, { hostname }: Address, proxy: URL | undefined): string {
  if (proxy) return 'it is the proxy of the environment: is it running?'
  if (/^(?:localhost|127\.|\[::1\])/.test(hostname))
    return 'nothing listens there: `paysim serve` starts a simulator'
  return code === 'TIMEOUT'
    ? 'a firewall may swallow it: check the port, and whether a VPN or a proxy is needed'
    : 'check the port of the base URL'
}

const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Whether the server speaks TLS, and is whom its certificate names. */
async function checkTls({ host, port }: End, { ca, timeoutMs }: Way): Promise<Check> {
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
    return fault('tls', `no secure connection to ${host} (${code})`, {
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
  const message = `${protocol}, with a certificate of ${by} until ${until}`
  const days = (ends.getTime() - Date.now()) / DAY_MS
  return days < SOON_DAYS
    ? warning('tls', message, 'it ends soon: whoever runs the server has to renew it')
    : ok('tls', message)
}

function adviceFor(code: string): string {
  if (code === 'TIMEOUT') return 'it took the connection and says nothing: is this the port of https?'
  if (code === 'CERT_HAS_EXPIRED')
    return 'the certificate has ended: whoever runs the server has to renew it; check the clock of this machine, too'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate is for another name: check the host of the base URL'
  if (/CERT|^UNABLE_TO_|SELF_SIGNED/.test(code))
    return "give the authority's certificate with --ca-file, if you trust it"
  return 'it does not speak TLS there: is it an http:// address, or another port?'
}

interface Way {
  readonly address: Address
  /** Where connections go, if not to the address itself. */
  readonly proxy: URL | undefined
  readonly ca: string | undefined
  readonly timeoutMs: number
}

/** Where a connection goes. */
interface End {
  readonly host: string
  readonly port: number
}

/** Settles once the socket says so, or fails as it does. */
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
