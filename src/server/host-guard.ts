import { isIP } from 'node:net'
import type { Carrier } from './http/carrier.ts'
import { refuseProblems } from './refusal.ts'

/**
 * A web page can make a browser send requests here under a name of its own that points to 127.0.0.1. Such a name is
 * not ours, so it is refused; an address says nothing about who wrote it and is fine.
 */
export function hostGuard(allowed: readonly string[]): (carrier: Carrier) => void {
  const names = new Set(['localhost', ...allowed.map(name => name.toLowerCase())])
  const isOurs = (host: string | undefined) => {
    const name = hostname(host)
    return name !== undefined && (isIP(name) !== 0 || names.has(name) || name.endsWith('.localhost'))
  }
  // Nearly every request has the same host.
  let lastSeen: string | undefined
  return ({ headers: { host }, rawHeaders, authority }) => {
    if (authority !== undefined && !isSameHost(authority, host)) {
      const message = 'is not the host in the target of the request; send the same host in both'
      throw refuseProblems([{ field: 'Host', message }])
    }
    if (isGivenOnce(rawHeaders) && (host === lastSeen || isOurs(host))) {
      lastSeen = host
      return
    }
    const message = 'is not a host name of this server; to allow it, start the server with --allow-host NAME'
    throw refuseProblems([{ field: 'Host', message }])
  }
}

/** If there are two Host headers, Node shows the first, but a proxy may have used the second. */
function isGivenOnce(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1
}

function hostname(host: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(host ?? '')
  return (match?.[1] ?? match?.[2])?.toLowerCase()
}

/** The port 80 need not be written. */
function isSameHost(authority: string, host = ''): boolean {
  const [one, other] = [authority, host].map(text => text.toLowerCase().replace(/:80$/, ''))
  return one === other
}
