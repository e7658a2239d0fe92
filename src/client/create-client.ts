import { type Query, readBaseUrl } from './address.ts'
import { expectedOf } from './answer-shape.ts'
import type { Call } from './call.ts'
import { Caller, type CallRequest, type RequestRecord } from './caller.ts'
import { basic, type Keys, refuseUnsafe } from './credentials.ts'
import { CALL_OPTIONS, demandKnown, type NamesOf, orReject } from './options.ts'
import { PATHS } from './paths.ts'
import { type Sleep, sleep } from './pause.ts'
import { type Payments, payments } from './payments.ts'
import { type Payouts, payouts } from './payouts.ts'
import type { CallOptions, MethodsQuery } from './requests.ts'
import type { PaymentMethodOptions } from './resources.ts'
import { type NetworkOptions, openTransport } from './transport/open-transport.ts'
import type { Transport } from './transport/transport.ts'

export interface ClientOptions extends Keys, NetworkOptions {
  /** A simulator or the real thing; may have a path prefix, as `https://api.example/v1`. */
  readonly baseUrl: string
  /** How often a call that may be repeated is repeated. 3, unless said otherwise. */
  readonly retries?: number | undefined
  /** Where payments are created: the interface document does not say. */
  readonly createPath?: string | undefined
  /**
   * Whether each answer is held against the whole contract: every member, every value, no member more, whichever way the
   * server decided where the interface document is silent. Otherwise only what no caller can go on without is looked at.
   */
  readonly strict?: boolean | undefined
  readonly userAgent?: string | undefined
  /** Told of each attempt when it is over; without secrets. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Chance, time and the network, for whoever has them under control. */
  readonly random?: (() => number) | undefined
  readonly sleep?: Sleep | undefined
  readonly now?: (() => number) | undefined
  readonly transport?: Transport | undefined
}

export interface RequestOptions extends CallOptions {
  readonly query?: Query | undefined
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Client {
  readonly methods: { list(query: MethodsQuery, options?: CallOptions): Call<PaymentMethodOptions> }
  readonly payments: Payments
  readonly payouts: Payouts
  /** Any call, signed in. Its `answer()` has all that came back. */
  request(method: string, path: string, options?: RequestOptions): Call<unknown>
  /** Lets what is under way end, and closes the connections. */
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
  light: true,
}

const REQUEST: NamesOf<RequestOptions> = { ...CALL_OPTIONS, query: true, body: true, headers: true }

/** A merchant's client for one base URL and one pair of keys. It makes no request by itself. */
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
  const { createPath = PATHS.create, strict = false } = options
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
            path: PATHS.methods,
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
          // A free call is taken as it comes, unless somebody wants to know how it differs.
          expected: strict ? expectedOf(method, path, createPath) : undefined,
        } satisfies CallRequest)
      }),
    close: () => transport.close(),
  })
}

/** The bundler puts the version in; sources that run as they are have none. */
const userAgent = () => (typeof PAYSIM_VERSION === 'string' ? `paysim/${PAYSIM_VERSION}` : 'paysim')
