import { OPERATION_PATHS } from '../contract/paths.ts'
import { type Query, readBaseUrl } from './address.ts'
import { expectedOf } from './answer-shape.ts'
import { CALL_OPTIONS, type Call, demandKnown, type NamesOf, orReject } from './call.ts'
import { Caller, type CallRequest, type RequestRecord } from './caller.ts'
import { basic, type Keys, refuseUnsafe } from './credentials.ts'
import { type Payments, type Payouts, payments, payouts } from './payments.ts'
import type { CallOptions, MethodsQuery, PaymentMethodOptions } from './resources.ts'
import { type Sleep, sleep } from './retry.ts'
import { type NetworkOptions, openTransport } from './transport/open-transport.ts'
import type { Transport } from './transport/transport.ts'

export interface ClientOptions extends Keys, NetworkOptions {
  /** The base URL of a simulator or a real gateway. It may have a path prefix, such as `https://api.example/v1`. */
  readonly baseUrl: string
  /** How often to retry a call that is safe to repeat; 3 by default. */
  readonly retries?: number | undefined
  /** The path that creates payments, because the interface document does not define it. */
  readonly createPath?: string | undefined
  /**
   * Whether to check each answer against the whole contract: every member and value, and no other members. Otherwise
   * only the members that callers depend on are checked.
   */
  readonly strict?: boolean | undefined
  readonly userAgent?: string | undefined
  /** Called after each attempt, without secrets. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Randomness, time and the network, for tests that control them. */
  readonly random?: (() => number) | undefined
  readonly sleep?: Sleep | undefined
  readonly now?: (() => number) | undefined
  readonly transport?: Transport | undefined
}

export interface RequestOptions extends CallOptions {
  readonly query?: Query | undefined
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Client {
  readonly methods: { list(query: MethodsQuery, options?: CallOptions): Call<PaymentMethodOptions> }
  readonly payments: Payments
  readonly payouts: Payouts
  /** Makes any authenticated call. Its `answer()` has the whole answer. */
  request(method: string, path: string, options?: RequestOptions): Call<unknown>
  /** Waits for the calls in progress, then closes the connections. */
  close(): Promise<void>
}

const RETRIES = 3

const OPTIONS: NamesOf<ClientOptions> = {
  baseUrl: true,
  publicKey: true,
  secretKey: true,
  retries: true,
  createPath: true,
  strict: true,
  userAgent: true,
  onRequest: true,
  random: true,
  sleep: true,
  now: true,
  transport: true,
  timeoutMs: true,
  ca: true,
  proxy: true,
}

const REQUEST: NamesOf<RequestOptions> = { ...CALL_OPTIONS, query: true, body: true, headers: true }

/** A merchant's client for one base URL and one pair of keys. Creating it makes no request. */
export function createClient(options: ClientOptions): Client {
  demandKnown('createClient()', options, OPTIONS)
  const address = readBaseUrl(options.baseUrl)
  const credentials = basic(options)
  refuseUnsafe(options, address)
  const transport = options.transport ?? openTransport(address.origin, options)
  const tools = {
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
    now: options.now ?? (() => performance.now()),
  }
  const { createPath = OPERATION_PATHS.createPayment.path, strict = false } = options
  const caller = new Caller({
    address,
    credentials,
    transport,
    policy: { retries: options.retries ?? RETRIES, random: tools.random },
    userAgent: options.userAgent ?? userAgent(),
    strict,
    sleep: tools.sleep,
    onRequest: options.onRequest,
  })
  return Object.freeze({
    methods: {
      list: (query: MethodsQuery, options?: CallOptions) =>
        orReject(() => {
          demandKnown('methods.list()', options, CALL_OPTIONS)
          return caller.call<PaymentMethodOptions>({
            method: 'GET',
            path: OPERATION_PATHS.listPaymentMethods.path,
            query: { ...query },
            expected: { resource: 'PaymentMethodOptions' },
            signal: options?.signal,
          })
        }),
    },
    payments: payments(caller, createPath, tools),
    payouts: payouts(caller),
    request: (method: string, path: string, request: RequestOptions = {}) =>
      orReject(() => {
        demandKnown('request()', request, REQUEST)
        return caller.call<unknown>({
          ...request,
          method,
          path,
          bodiless: true,
          // The answer of such a call is not checked, except in strict mode.
          expected: strict ? expectedOf(method, path, createPath) : undefined,
        } satisfies CallRequest)
      }),
    close: () => transport.close(),
  })
}

/** The bundler inserts the version; source files that run directly have none. */
const userAgent = () => (typeof PAYSIM_VERSION === 'string' ? `paysim/${PAYSIM_VERSION}` : 'paysim')
