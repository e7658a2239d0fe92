import type { WireAnswer } from '../../contract/wire-answer.ts'
import { chooseProxy } from './choose-proxy.ts'
import type { Transport, TransportSettings, WireRequest } from './transport.ts'

export interface NetworkOptions {
  /** The time limit for an answer to start, and again for it to end; 30 s by default. */
  readonly timeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the default ones, as PEM. */
  readonly ca?: string | undefined
  /**
   * A proxy to use, whatever the environment says; false for none. By default HTTP_PROXY, HTTPS_PROXY and NO_PROXY
   * apply.
   */
  readonly proxy?: string | false | undefined
  /** For a process that makes a few calls and exits: it loads faster and keeps no pool. */
  readonly light?: boolean | undefined
}

const TIMEOUT_MS = 30_000
const LONGEST_CONNECT_MS = 10_000

/**
 * Chooses how to reach an origin, so that invalid settings fail at once. Loads the transport with the first request.
 */
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

/** Only undici supports proxies. */
async function load(settings: TransportSettings, light: boolean): Promise<Transport> {
  if (light && !settings.proxy) return (await import('./node-transport.ts')).nodeTransport(settings)
  return (await import('./undici-transport.ts')).undiciTransport(settings)
}
