import { ArgumentError } from '../errors.ts'
import { isLoopback } from '../loopback.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a target: the given one, otherwise that of the environment, with the rules of curl. A proxy of the
 * environment is never used for this machine, because it would look for the simulator on its own machine.
 */
export function chooseProxy(
  target: URL,
  asked: string | false | undefined,
  variables: Variables,
): URL | undefined {
  if (asked === false) return undefined
  if (asked !== undefined) return readProxy(asked, 'the proxy')
  if (isLoopback(target.hostname) || isExempt(target, of(variables, 'no_proxy'))) return undefined
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const found = of(variables, name)
  return found === undefined ? undefined : readProxy(found, name.toUpperCase())
}

function of(variables: Variables, name: string): string | undefined {
  const value = (variables[name] ?? variables[name.toUpperCase()])?.trim()
  return value === '' ? undefined : value
}

function readProxy(text: string, from: string): URL {
  const spelled = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(spelled) ? new URL(spelled) : undefined
  // Do not repeat the value: it may contain a password.
  if (!url || !/^https?:$/.test(url.protocol)) throw new ArgumentError(`${from} is not an http or https URL`)
  return url
}

/** `*`, `example.com` and `.example.com` (both include subdomains), `10.0.0.7`, each with or without a port. */
function isExempt({ hostname, port, protocol }: URL, list = ''): boolean {
  const targetPort = port || (protocol === 'https:' ? '443' : '80')
  const host = hostname.replace(/\.$/, '').toLowerCase()
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => {
      if (entry === '*') return true
      const [, name = entry, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (onlyPort !== undefined && onlyPort !== targetPort) return false
      const bare = name.replace(/^\*?\./, '')
      return host === bare || host.endsWith(`.${bare}`)
    })
}
