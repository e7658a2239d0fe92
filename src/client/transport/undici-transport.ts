/// <reference path="./undici-parts.d.ts" />
import type { Dispatcher } from 'undici'
import type { WireAnswer } from '../../contract/wire-answer.ts'
import { allowManyListeners } from '../many-listeners.ts'
import { connectionError } from './connection-error.ts'
import { Exchange } from './exchange.ts'
import { openPayload } from './payload.ts'
import type { Transport, TransportSettings, WireRequest } from './transport.ts'

/** A transport on undici, with a pool of connections. It is loaded with the first request. */
export function undiciTransport(settings: TransportSettings): Transport {
  const { origin, proxy } = settings
  let opened: Promise<Dispatcher> | undefined

  async function send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> {
    opened ??= open(settings)
    const dispatcher = await opened
    const exchange = new Exchange(settings.timeoutMs)
    const abort = () => exchange.abort(signal?.reason)
    const { headers, body, release } = await openPayload(request)
    try {
      signal?.throwIfAborted()
      allowManyListeners(signal)
      signal?.addEventListener('abort', abort, { once: true })
      dispatcher.dispatch(
        {
          origin,
          method: request.method as Dispatcher.HttpMethod,
          path: request.path,
          headers,
          body: body ?? null,
        },
        exchange,
      )
      return await exchange.answered
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw connectionError(cause, { ...settings, sent: exchange.sent, method: request.method, proxy })
    } finally {
      signal?.removeEventListener('abort', abort)
      release()
    }
  }

  return { send, close: async () => (await opened)?.close() }
}

async function open({
  origin,
  connectTimeoutMs,
  timeoutMs,
  ca,
  proxy,
}: TransportSettings): Promise<Dispatcher> {
  const connect = { timeout: connectTimeoutMs, ...(ca === undefined ? {} : { ca }) }
  const times = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  if (!proxy) {
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
    return new Pool(origin, { ...times, connect })
  }
  const { default: undici } = await import('undici')
  return new undici.ProxyAgent({
    ...times,
    uri: proxy.href,
    requestTls: connect,
    proxyTls: connect,
    // An http target is requested by its full URL, which every proxy allows; only https needs a tunnel.
    proxyTunnel: false,
  })
}
