import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import type { TimerRecord } from '../contract/control/clock.ts'
import type {
  Imported,
  JournalEntry,
  LoggedRequest,
  RequestDetail,
  StreamMessage,
} from '../contract/control/journal.ts'
import type { KeyPairRecord } from '../contract/control/merchants.ts'
import type { AssetRecord, ProviderCallRecord } from '../contract/control/payments.ts'
import type { Archive, EndpointBody } from '../contract/control/requests.ts'
import type { DeliveryRecord, EndpointRecord, EventRecord } from '../contract/control/webhooks.ts'
import type { Call } from './call.ts'
import { fileForm } from './control-form.ts'
import type { ControlHttp } from './control-http.ts'
import { paymentCalls, payoutCalls } from './control-record-calls.ts'
import { clockCalls, scriptCalls } from './control-script-calls.ts'
import { readStream } from './control-stream.ts'
import { demandKnown, orReject } from './options.ts'
import type { Upload } from './transport/transport.ts'

/** All calls of the control surface for one account. */
export type AccountControl = ReturnType<typeof accountControl>

export function accountControl(http: ControlHttp, id: string) {
  const at = `/accounts/${encodeURIComponent(id)}`
  const list = <T>(path: string) => http.list<T>(`${at}${path}`)
  return {
    id,
    clock: clockCalls(http, at),
    payments: paymentCalls(http, at),
    payouts: payoutCalls(http, at),
    ...scriptCalls(http, at),
    assets: {
      /** An image to store in the account: its bytes, or the path of a file. */
      upload(
        file: Uint8Array | string,
        options: { kind?: AssetRecord['kind'] | undefined; filename?: string } = {},
      ): Call<AssetRecord> {
        return orReject(() => {
          demandKnown('assets.upload()', options, { kind: true, filename: true })
          const { kind, filename } = options
          const name = filename ?? (typeof file === 'string' ? basename(file) : 'receipt')
          return http.json('POST', `${at}/assets`, {
            upload: fileForm(file, name, kind === undefined ? {} : { kind }),
          })
        })
      },
      list: () => list<AssetRecord>('/assets'),
    },
    keys: {
      list: () => list<KeyPairRecord>('/keys'),
      add: (): Call<KeyPairRecord> => http.json('POST', `${at}/keys`),
      revoke: (publicKey: string): Call<void> =>
        http.json('DELETE', `${at}/keys/${encodeURIComponent(publicKey)}`),
    },
    webhookEndpoints: {
      list: () => list<EndpointRecord>('/webhook-endpoints'),
      add: (endpoint: EndpointBody): Call<EndpointRecord> =>
        http.json('POST', `${at}/webhook-endpoints`, { body: endpoint }),
      remove: (endpoint: string): Call<void> =>
        http.json('DELETE', `${at}/webhook-endpoints/${encodeURIComponent(endpoint)}`),
      /** The old secret also signs until the overlap ends. */
      rotateSecret: (endpoint: string, overlap?: string): Call<EndpointRecord> =>
        http.json('POST', `${at}/webhook-endpoints/${encodeURIComponent(endpoint)}/rotate-secret`, {
          body: overlap === undefined ? {} : { overlap },
        }),
    },
    /** The journal entries of a record, oldest first. */
    history: (record: string) => list<JournalEntry>(`/history/${encodeURIComponent(record)}`),
    providerCalls: () => list<ProviderCallRecord>('/provider-calls'),
    /** The latest requests, newest first. */
    requests: () => list<LoggedRequest>('/requests'),
    /** One request with headers and bodies. */
    request: (id: string): Call<RequestDetail> =>
      http.json('GET', `${at}/requests/${encodeURIComponent(id)}`),
    events: () => list<EventRecord>('/events'),
    deliveries: () => list<DeliveryRecord>('/webhook-deliveries'),
    redeliver: (delivery: string): Call<DeliveryRecord> =>
      http.json('POST', `${at}/webhook-deliveries/${encodeURIComponent(delivery)}/redeliver`),
    timers: () => list<TimerRecord>('/timers'),
    stream: (signal?: AbortSignal): AsyncGenerator<StreamMessage, void> =>
      readStream(http, `${at}/stream`, signal),
    /** The image with this digest. */
    image: (digest: string): Promise<Uint8Array> =>
      http.bytes(`${at}/images/${encodeURIComponent(digest)}`, 'image/'),
    export: (): Call<Archive> => http.json('GET', `${at}/export`),
    /** The archive as a stream, because it may be larger than the longest string. */
    exportStream: async (): Promise<Readable> => http.open(`${at}/export`, 'archive'),
    import: (archive: Archive): Call<Imported> => http.json('PUT', `${at}/import`, { body: archive }),
    importUpload: (upload: Upload): Call<Imported> => http.json('PUT', `${at}/import`, { upload }),
    /** Empties the account; its keys stay the same. */
    reset: (): Call<{ account: string }> => http.json('POST', `${at}/reset`),
  }
}
