import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import type { Address } from '../../client/address.ts'
import { EXIT } from '../errors/exit-code.ts'
import { type Check, fault, ok } from './check.ts'
import { codeOf, type End, opened, type Way } from './socket.ts'
import { checkTls } from './tls.ts'

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
