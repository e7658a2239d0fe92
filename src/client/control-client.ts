import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import type { AccountCall, AnswerTo, AnyInput, InputOf, JsonCall } from '../contract/control/call.ts'
import type { Catalogue, CatalogueState, ProviderHealth } from '../contract/control/catalogue.ts'
import type { AdvanceResult, ClockState, TimerRecord } from '../contract/control/clock.ts'
import type { FaultRule, FaultsState, HoldRecord, HoldRelease } from '../contract/control/faults.ts'
import type {
  Imported,
  JournalEntry,
  LoggedRequest,
  RequestDetail,
  StreamMessage,
} from '../contract/control/journal.ts'
import type * as wire from '../contract/control/merchants.ts'
import type { KeyPairRecord, MerchantRecord } from '../contract/control/merchants.ts'
import type { DecisionsInForce, Nodes } from '../contract/control/nodes.ts'
import type { StoryFormat } from '../contract/control/operations/records.ts'
import type {
  AssetRecord,
  PageOfShop,
  PaymentRecord,
  PayoutRecord,
  ProviderCallRecord,
} from '../contract/control/payments.ts'
import type {
  Archive,
  ClockBody,
  ClockMode,
  EndpointBody,
  EventBody,
  FailureReason,
  MerchantPatch,
  MethodChoice,
  NewPayout,
  ResetBody,
} from '../contract/control/requests.ts'
import type { ProviderRule, RulesState } from '../contract/control/rules.ts'
import type { DeliveryRecord, EndpointRecord, EventRecord } from '../contract/control/webhooks.ts'
import type { PaymentTrigger, PayoutTrigger } from '../contract/statuses.ts'
import { Call, demandKnown, type NamesOf, orReject, shown } from './call.ts'
import { type ControlAddress, ControlCaller, type ControlSettings, type ListBody } from './control-caller.ts'
import { readStream } from './control-stream.ts'
import { ArgumentError } from './errors.ts'
import { readSource } from './receipt.ts'
import type { Answer, Upload } from './transport/transport.ts'

export type * from '../contract/control/catalogue.ts'
export type * from '../contract/control/clock.ts'
export type * from '../contract/control/faults.ts'
export type * from '../contract/control/journal.ts'
export type * from '../contract/control/merchants.ts'
export type * from '../contract/control/nodes.ts'
export type * from '../contract/control/payments.ts'
export type * from '../contract/control/payments.ts'
export type * from '../contract/control/requests.ts'
export type * from '../contract/control/rules.ts'
export type * from '../contract/control/webhooks.ts'
export type { CheckoutMode, Environment, PaymentTrigger, PayoutTrigger } from '../contract/statuses.ts'
export type { ControlAddress } from './control-caller.ts'
export { ControlError, ControlUnreachableError } from './errors.ts'

/**
 * The methods that the library publishes for the calls of the control surface. Our own code writes `call` with the name
 * of the operation, so a new operation needs nothing here.
 */

/** A new merchant, as in the API, except that the clock may be just its mode. */
export type NewMerchant = Omit<wire.NewMerchant, 'clock'> & { readonly clock?: ClockSetting }

type Duration = string

/** The settings of a clock. `now` must not be before the account's time; `rate` is for a real clock: 60, or `60x`. */
export type ClockSetting =
  | ClockMode
  | { readonly mode: ClockMode; readonly now?: string | Date; readonly rate?: number | string }

/** How far to move a virtual clock: by a duration, to a time, or until nothing is due (`max` limits it). */
export type AdvanceGoal =
  | Duration
  | { readonly by: Duration }
  | { readonly to: string | Date }
  | { readonly until: 'idle'; readonly max?: Duration }

/** A part of a list; the whole list by default. */
interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A typed client for the control surface of any simulator. */
export class ControlClient {
  readonly #caller: ControlCaller

  constructor(address: ControlAddress, settings: ControlSettings = {}) {
    this.#caller = new ControlCaller(address, settings)
  }

  readonly merchants = {
    create: ({ clock, ...merchant }: NewMerchant = {}): Call<MerchantRecord> =>
      this.call('POST /merchants', {
        body: { ...merchant, ...(clock === undefined ? {} : { clock: clockBody(clock) }) },
      }),
    list: (): RecordsCall<MerchantRecord> => records(this.call('GET /merchants')),
    get: (id: string): Call<MerchantRecord> => this.call('GET /merchants/:id', { params: { id } }),
    change: (id: string, change: MerchantPatch): Call<MerchantRecord> =>
      this.call('PATCH /merchants/:id', { params: { id }, body: change }),
    /** Removes the merchant with all of its records. */
    remove: (id: string): Call<void> => this.call('DELETE /merchants/:id', { params: { id } }),
  }

  /** Any call of the control surface, by its name in the list of operations. @internal */
  call<C extends JsonCall>(name: C, ...input: InputOf<C>): Call<AnswerTo<C>> {
    return this.#caller.call(name, ...input)
  }

  /** The calls for one account, `<merchant>.<environment>`. It does not need to exist yet. */
  account(id: string): AccountControl {
    return accountControl(this.#caller, id)
  }

  health(): Call<{ status: string }> {
    return this.call('GET /health')
  }

  ready(): Call<{ status: string }> {
    return this.call('GET /ready')
  }

  /** Metrics in the format of Prometheus. */
  async metrics(): Promise<string> {
    return (await this.#caller.bytes('GET /metrics', 'text/plain')).toString('utf8')
  }

  /** The processes that serve the same database, and who holds which merchant. */
  nodes(): Call<Nodes> {
    return this.call('GET /nodes', { query: { limit: 200 } })
  }

  openapi(): Call<Record<string, unknown>> {
    return this.call('GET /openapi.json')
  }

  /** The decisions in force for questions that the interface document leaves open. */
  contract(): Call<DecisionsInForce> {
    return this.call('GET /contract')
  }

  /** A link that signs a browser in to the dashboard, once. */
  dashboardLink(): Call<{ url: string; expires_in_ms: number }> {
    return this.call('POST /dashboard/links')
  }

  /** Closes its connections, including streams. */
  close(): Promise<void> {
    return this.#caller.close()
  }
}

/** All calls of the control surface for one account. */
export type AccountControl = ReturnType<typeof accountControl>

function accountControl(caller: ControlCaller, account: string) {
  const call: AccountCaller = (name, ...[input]) => {
    const { params, query, headers, body }: AnyInput = input ?? {}
    return caller.call(name, ...([{ params: { account, ...params }, query, headers, body }] as never))
  }
  const own: OwnCalls = { call }
  return Object.assign(own, {
    id: account,
    clock: {
      get: (): Call<ClockState> => call('GET /accounts/:account/clock'),
      set: (setting: ClockSetting): Call<ClockState> =>
        call('PUT /accounts/:account/clock', { body: clockBody(setting) }),
      /** Returns when the account is quiet: everything that was due has happened, including webhooks. */
      advance: (goal: AdvanceGoal): Call<AdvanceResult> =>
        orReject(() => call('POST /accounts/:account/clock/advance', { body: advanceBody(goal) })),
    },
    payments: paymentCalls(call, caller, account),
    payouts: payoutCalls(call),
    rules: {
      get: (): Call<RulesState> => call('GET /accounts/:account/rules'),
      replace: (rules: readonly ProviderRule[]): Call<RulesState> =>
        call('PUT /accounts/:account/rules', { body: { rules } }),
      /** Adds rules before the rules in force, including the default ones. */
      prepend: (rules: readonly ProviderRule[]): Call<RulesState> =>
        call('POST /accounts/:account/rules', { body: { rules } }),
      /** Restores the default rules. */
      reset: (): Call<RulesState> => call('DELETE /accounts/:account/rules'),
    },
    faults: {
      get: (): Call<FaultsState> => call('GET /accounts/:account/faults'),
      replace: (faults: readonly FaultRule[]): Call<FaultsState> =>
        call('PUT /accounts/:account/faults', { body: { faults } }),
      clear: (): Call<FaultsState> => call('DELETE /accounts/:account/faults'),
    },
    /** The calls, answers and webhooks that faults of type `hold` hold now. */
    holds: {
      list: (): RecordsCall<HoldRecord> => records(call('GET /accounts/:account/holds')),
      /** Lets one go: as it is, changed, failed or dropped. */
      release: (hold: string, how: HoldRelease = {}): Call<HoldRecord> =>
        call('POST /accounts/:account/holds/:id/release', { params: { id: hold }, body: how }),
    },
    catalogue: {
      get: (): Call<CatalogueState> => call('GET /accounts/:account/catalogue'),
      replace: (catalogue: Catalogue): Call<CatalogueState> =>
        call('PUT /accounts/:account/catalogue', { body: catalogue }),
      setHealth: (provider: string, healthy: boolean): Call<ProviderHealth> =>
        call('PATCH /accounts/:account/catalogue/providers/:provider', {
          params: { provider },
          body: { healthy },
        }),
    },
    assets: {
      /** An image to store in the account: its bytes, or the path of a file. */
      upload(
        file: Uint8Array | string,
        options: { kind?: AssetRecord['kind'] | undefined; filename?: string } = {},
      ): Call<AssetRecord> {
        return orReject(() => {
          demandKnown('assets.upload()', options, { kind: true, filename: true })
          const { kind, filename } = options
          const form = fileForm(file, filename ?? filenameOf(file), kind === undefined ? {} : { kind })
          return caller.upload('POST /accounts/:account/assets', { params: { account } }, form)
        })
      },
      list: (): RecordsCall<AssetRecord> => records(call('GET /accounts/:account/assets')),
    },
    keys: {
      list: (): RecordsCall<KeyPairRecord> => records(call('GET /accounts/:account/keys')),
      add: (): Call<KeyPairRecord> => call('POST /accounts/:account/keys'),
      revoke: (publicKey: string): Call<void> =>
        call('DELETE /accounts/:account/keys/:key', { params: { key: publicKey } }),
    },
    webhookEndpoints: {
      list: (): RecordsCall<EndpointRecord> => records(call('GET /accounts/:account/webhook-endpoints')),
      add: (endpoint: EndpointBody): Call<EndpointRecord> =>
        call('POST /accounts/:account/webhook-endpoints', { body: endpoint }),
      remove: (endpoint: string): Call<void> =>
        call('DELETE /accounts/:account/webhook-endpoints/:id', { params: { id: endpoint } }),
      /** The old secret also signs until the overlap ends. */
      rotateSecret: (endpoint: string, overlap?: string): Call<EndpointRecord> =>
        call('POST /accounts/:account/webhook-endpoints/:id/rotate-secret', {
          params: { id: endpoint },
          body: overlap === undefined ? {} : { overlap },
        }),
    },
    /** The journal entries of a record, oldest first. */
    history: (record: string): RecordsCall<JournalEntry> =>
      records(call('GET /accounts/:account/history/:id', { params: { id: record } })),
    providerCalls: (): RecordsCall<ProviderCallRecord> =>
      records(call('GET /accounts/:account/provider-calls')),
    /** The latest requests, newest first. */
    requests: (): RecordsCall<LoggedRequest> => records(call('GET /accounts/:account/requests')),
    /** One request with headers and bodies. */
    request: (id: string): Call<RequestDetail> =>
      call('GET /accounts/:account/requests/:id', { params: { id } }),
    events: (): RecordsCall<EventRecord> => records(call('GET /accounts/:account/events')),
    /** Sends an event by hand: a sample of a type, or a copy of another event, with these members of its data. */
    sendEvent: (event: EventBody): Call<EventRecord> =>
      call('POST /accounts/:account/events', { body: event }),
    deliveries: (): RecordsCall<DeliveryRecord> => records(call('GET /accounts/:account/webhook-deliveries')),
    redeliver: (delivery: string): Call<DeliveryRecord> =>
      call('POST /accounts/:account/webhook-deliveries/:id/redeliver', { params: { id: delivery } }),
    timers: (): RecordsCall<TimerRecord> => records(call('GET /accounts/:account/timers')),
    stream: (signal?: AbortSignal): AsyncGenerator<StreamMessage, void> =>
      readStream(
        after =>
          caller.stream(
            'GET /accounts/:account/stream',
            { signal, headers: after === undefined ? undefined : { 'last-event-id': String(after) } },
            { params: { account } },
          ),
        signal,
      ),
    /** The image with this digest. */
    image: (digest: string): Promise<Uint8Array> =>
      caller.bytes('GET /accounts/:account/images/:digest', 'image/', { params: { account, digest } }),
    /** What was done with these payments and payouts, as a scenario or a test. */
    scenario: async (ids: readonly string[], format?: StoryFormat): Promise<string> => {
      const query = { id: ids.join(','), format }
      const bytes = await caller.bytes('GET /accounts/:account/scenario', 'text/plain', {
        params: { account },
        query,
      })
      return bytes.toString('utf8')
    },
    export: (): Call<Archive> => call('GET /accounts/:account/export'),
    /** The archive as a stream, because it may be larger than the longest string. */
    exportStream: (): Promise<Readable> => caller.archive(account),
    import: (archive: Archive): Call<Imported> => call('PUT /accounts/:account/import', { body: archive }),
    importUpload: (upload: Upload): Call<Imported> =>
      caller.upload('PUT /accounts/:account/import', { params: { account } }, upload),
    /** Empties the account; its keys stay the same. */
    reset: (body: ResetBody = {}): Call<{ account: string }> =>
      call('POST /accounts/:account/reset', { body }),
  })
}

/** What is left out of the published types. */
interface OwnCalls {
  /** Any call about this account, by its name in the list of operations. @internal */
  readonly call: AccountCaller
}

type AccountCaller = <C extends JsonCall & AccountCall>(
  name: C,
  ...input: InputOf<C, 'account'>
) => Call<AnswerTo<C>>

/** Calls that read complete payments and payouts, and that act as payer, provider and operator. */

function paymentCalls(call: AccountCaller, caller: ControlCaller, account: string) {
  const trigger = (id: string, name: PaymentTrigger, failure?: FailureReason): Call<PaymentRecord> =>
    call(`POST /accounts/:account/payments/:id/${name}`, {
      params: { id },
      ...(failure && { body: failure }),
    })
  return {
    /** All of them, newest first. */
    list: (page: PageQuery = {}): RecordsCall<PaymentRecord> =>
      orReject(() =>
        records(call('GET /accounts/:account/payments', { query: known('payments.list()', page) })),
      ),
    get: (id: string): Call<PaymentRecord> => call('GET /accounts/:account/payments/:id', { params: { id } }),
    /** The payer chooses a method on the hosted page, without a browser. */
    choose: (id: string, choice: MethodChoice): Call<PaymentRecord> =>
      call('POST /accounts/:account/payments/:id/choose', { params: { id }, body: choice }),
    /** The payer sends a receipt on the hosted page: its bytes, or the path of a file. */
    sendReceipt: (
      id: string,
      file: Uint8Array | string,
      options: { filename?: string } = {},
    ): Call<PaymentRecord> =>
      orReject(() => {
        demandKnown('payments.sendReceipt()', options, { filename: true })
        const form = fileForm(file, options.filename ?? filenameOf(file), {})
        return caller.upload(
          'POST /accounts/:account/payments/:id/receipt',
          { params: { account, id } },
          form,
        )
      }),
    /** The payer's browser opens the return_url, and follows no redirect. */
    return: (id: string): Call<PageOfShop> =>
      call('POST /accounts/:account/payments/:id/return', { params: { id } }),
    trigger,
    succeed: (id: string) => trigger(id, 'succeed'),
    fail: (id: string, failure?: FailureReason) => trigger(id, 'fail', failure),
    expire: (id: string) => trigger(id, 'expire'),
    presentAction: (id: string) => trigger(id, 'present-action'),
    withdrawAction: (id: string) => trigger(id, 'withdraw-action'),
    acceptReceipt: (id: string) => trigger(id, 'accept-receipt'),
    rejectReceipt: (id: string, failure?: FailureReason) => trigger(id, 'reject-receipt', failure),
    confirmCancel: (id: string) => trigger(id, 'confirm-cancel'),
  }
}

function payoutCalls(call: AccountCaller) {
  const trigger = (id: string, name: PayoutTrigger, failure?: FailureReason): Call<PayoutRecord> =>
    call(`POST /accounts/:account/payouts/:id/${name}`, { params: { id }, ...(failure && { body: failure }) })
  return {
    create: (payout: NewPayout, { idempotencyKey }: { readonly idempotencyKey?: string | undefined } = {}) =>
      call('POST /accounts/:account/payouts', {
        body: payout,
        headers: { 'Idempotency-Key': idempotencyKey },
      }),
    list: (page: PageQuery = {}): RecordsCall<PayoutRecord> =>
      orReject(() =>
        records(call('GET /accounts/:account/payouts', { query: known('payouts.list()', page) })),
      ),
    get: (id: string): Call<PayoutRecord> => call('GET /accounts/:account/payouts/:id', { params: { id } }),
    trigger,
    approve: (id: string) => trigger(id, 'approve'),
    succeed: (id: string) => trigger(id, 'succeed'),
    fail: (id: string, failure?: FailureReason) => trigger(id, 'fail', failure),
  }
}

const filenameOf = (file: Uint8Array | string) => (typeof file === 'string' ? basename(file) : 'receipt')

/** Awaiting it gives the records of a list; its answer is the list itself. */
type RecordsCall<T> = Call<T[], ListBody<T>>

const records = <T>(listed: Call<{ readonly data: readonly T[] }>): RecordsCall<T> =>
  new Call(listed.answer() as Promise<Answer<ListBody<T>>>, undefined, ({ data }) => data)

const PAGE: NamesOf<PageQuery> = { limit: true, cursor: true }

function known(call: string, page: PageQuery): PageQuery {
  demandKnown(call, page, PAGE)
  return page
}

function clockBody(setting: ClockSetting): ClockBody {
  if (typeof setting === 'string') return { mode: setting }
  const { now, ...more } = setting
  return { ...more, ...(now === undefined ? {} : { now: instant(now) }) }
}

function advanceBody(goal: AdvanceGoal) {
  if (typeof goal === 'string') return { by: goal }
  // Callers without a compiler may pass anything.
  const given: unknown = goal
  const goals =
    typeof given === 'object' && given !== null ? ['by', 'to', 'until'].filter(name => name in given) : []
  if (goals.length !== 1)
    throw new ArgumentError(
      `clock.advance() takes a duration such as "5s", or one of { by: "5s" }, { to: "2027-01-01T00:00:00Z" } and ` +
        `{ until: "idle" }, not ${shown(given)}${typeof given === 'number' ? `; ${given} ms is "${given}ms"` : ''}`,
    )
  return 'to' in goal ? { to: instant(goal.to) } : goal
}

const instant = (at: string | Date) => (typeof at === 'string' ? at : at.toISOString())

/** A form with a part named `file`, from bytes or from a path, and other fields. */
async function fileForm(
  file: Uint8Array | string,
  filename: string,
  fields: Readonly<Record<string, string>>,
): Promise<Upload> {
  const bytes = await bytesOf(file)
  return {
    filename,
    contentType: 'application/octet-stream',
    size: bytes.length,
    fields,
    ...(typeof file === 'string' ? { path: file } : {}),
    async open() {
      const [{ default: FormData }, { Readable }] = await Promise.all([
        import('form-data'),
        import('node:stream'),
      ])
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('file', bytes, { filename })
      const whole = form.getBuffer()
      const headers = { ...form.getHeaders(), 'content-length': String(whole.length) }
      return { headers, body: Readable.from([whole]) }
    },
  }
}

async function bytesOf(file: Uint8Array | string): Promise<Buffer> {
  if (typeof file !== 'string') return Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const { buffer } = await import('node:stream/consumers')
  const { open } = await readSource(file)
  return buffer(await open())
}
