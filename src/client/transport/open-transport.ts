import { chooseProxy } from './choose-proxy.ts'
import type { Transport, TransportSettings, WireAnswer, WireRequest } from './transport.ts'

export interface NetworkOptions {
  /** How long an answer may take to begin, and then as long again to end. 30 s, unless said otherwise. */
  readonly timeoutMs?: number | undefined
  /** Authorities to trust in place of the usual ones, as PEM. */
  readonly ca?: string | undefined
  /** A proxy, whatever the environment says; false for none. Otherwise HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: string | false | undefined
  /** For a process that makes a call or a few and ends: loads far less, and has no pool to speak of. */
  readonly light?: boolean | undefined
}

const TIMEOUT_MS = 30_000
const LONGEST_CONNECT_MS = 10_000

/** Chooses how to reach an origin now, so that bad settings are told at once; loads it with the first request. */
export function openTransport(origin: string, options: NetworkOptions): Transport {
  const { timeoutMs = TIMEOUT_MS, ca } = options
  const proxy = chooseProxy(new URL(origin), options.proxy, process.env)
  const connectTimeoutMs = Math.min(timeoutMs, LONGEST_CONNECT_MS)
  const settings = { origin, timeoutMs, connectTimeoutMs, ca, proxy }
  let opened: Promise<Transport> | undefined
  return {
    async send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> {
      opened ??= load(settings, options.light ?? false)
      return (await opened).send(request, signal)
    },
    close: async () => (await opened)?.close(),
  }
}

/** Only undici knows proxies. */
async function load(settings: TransportSettings, light: boolean): Promise<Transport> {
  if (light && !settings.proxy) return (await import('./node-transport.ts')).nodeTransport(settings)
  return (await import('./undici-transport.ts')).undiciTransport(settings)
}
