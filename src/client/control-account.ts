import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type ControlHttp, fileForm } from './control-http.ts'
import type {
  Archive,
  DeliveryRecord,
  EndpointRecord,
  EventRecord,
  JournalEntry,
  LoggedRequest,
  ProviderCallRecord,
  StreamMessage,
  TimerRecord,
} from './control-journal.ts'
import { paymentCalls, payoutCalls } from './control-record-calls.ts'
import type { AssetRecord, KeyPairRecord } from './control-records.ts'
import { clockCalls, scriptCalls } from './control-script-calls.ts'
import { readStream } from './control-stream.ts'

/** Everything that the control surface lets one do with one account. */
export type AccountControl = ReturnType<typeof accountControl>

export function accountControl(http: ControlHttp, id: string) {
  const at = `/accounts/${encodeURIComponent(id)}`
  const list = async <T>(path: string) => (await http.json<{ data: T[] }>('GET', `${at}${path}`)).data
  return {
    id,
    clock: clockCalls(http, at),
    payments: paymentCalls(http, at),
    payouts: payoutCalls(http, at),
    ...scriptCalls(http, at),
    assets: {
      /** An image that the account is to hold: its bytes, or the path of a file. */
      async upload(
        file: Uint8Array | string,
        { kind, filename }: { kind?: 'payment_receipt' | 'other'; filename?: string } = {},
      ): Promise<AssetRecord> {
        const bytes = typeof file === 'string' ? await readFile(file) : file
        const name = filename ?? (typeof file === 'string' ? basename(file) : 'receipt')
        return http.json('POST', `${at}/assets`, { form: fileForm(bytes, name, { kind }) })
      },
      list: () => list<AssetRecord>('/assets'),
    },
    keys: {
      list: () => list<KeyPairRecord>('/keys'),
      add: (): Promise<KeyPairRecord> => http.json('POST', `${at}/keys`),
      revoke: (publicKey: string): Promise<void> =>
        http.json('DELETE', `${at}/keys/${encodeURIComponent(publicKey)}`),
    },
    webhookEndpoints: {
      list: () => list<EndpointRecord>('/webhook-endpoints'),
      add: (endpoint: { url: string; events?: readonly string[] }): Promise<EndpointRecord> =>
        http.json('POST', `${at}/webhook-endpoints`, { body: endpoint }),
      remove: (endpoint: string): Promise<void> =>
        http.json('DELETE', `${at}/webhook-endpoints/${encodeURIComponent(endpoint)}`),
      /** The old secret signs too until the overlap ends. */
      rotateSecret: (endpoint: string, overlap?: string): Promise<EndpointRecord> =>
        http.json('POST', `${at}/webhook-endpoints/${encodeURIComponent(endpoint)}/rotate-secret`, {
          body: overlap === undefined ? {} : { overlap },
        }),
    },
    /** A record's journal entries, oldest first. */
    history: (record: string) => list<JournalEntry>(`/history/${encodeURIComponent(record)}`),
    providerCalls: () => list<ProviderCallRecord>('/provider-calls'),
    /** The last requests, newest first. */
    requests: () => list<LoggedRequest>('/requests'),
    events: () => list<EventRecord>('/events'),
    deliveries: () => list<DeliveryRecord>('/webhook-deliveries'),
    redeliver: (delivery: string): Promise<DeliveryRecord> =>
      http.json('POST', `${at}/webhook-deliveries/${encodeURIComponent(delivery)}/redeliver`),
    timers: () => list<TimerRecord>('/timers'),
    stream: (signal?: AbortSignal): AsyncGenerator<StreamMessage, void> =>
      readStream(http, `${at}/stream`, signal),
    /** An image that the account stores, by its digest. */
    async image(digest: string): Promise<Uint8Array> {
      const { body } = await http.open('GET', `${at}/images/${encodeURIComponent(digest)}`)
      return body.bytes()
    },
    export: (): Promise<Archive> => http.json('GET', `${at}/export`),
    import: (archive: Archive): Promise<{ account: string; entries: number }> =>
      http.json('PUT', `${at}/import`, { body: archive }),
    /** Empty again, with the same keys. */
    reset: (): Promise<{ account: string }> => http.json('POST', `${at}/reset`),
  }
}
