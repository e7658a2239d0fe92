import type * as wire from '../contract/requests.ts'
import type { Open, PayoutStatus } from './resources.ts'

/** What a merchant may ask: the contract's own shapes. A member that is undefined is not sent; lists of values are open. */

export type MethodsQuery = Asked<wire.DiscoveryQuery>
export type CreatePayment = Asked<wire.CreatePaymentRequest>
export type PayoutsQuery = Asked<Omit<wire.PayoutListQuery, 'status' | 'limit'>> & {
  status?: PayoutStatus | readonly PayoutStatus[] | undefined
  limit?: number | string | undefined
}

type Asked<T> = [T] extends [string]
  ? Open<T>
  : [T] extends [object]
    ? { [M in keyof T]: Asked<NonNullable<T[M]>> | (undefined extends T[M] ? undefined : never) }
    : T

/** What goes with any call. */
export interface CallOptions {
  /** Ends the call, and the pauses between its attempts. */
  signal?: AbortSignal | undefined
}

export interface KeyedCallOptions extends CallOptions {
  /** With a key a call may be repeated: the server answers it once. */
  idempotencyKey?: string | undefined
}
