import type * as wire from '../contract/requests.ts'
import type { OpenEnum, PayoutStatus } from './resources.ts'

/**
 * What a merchant can send: the shapes of the contract. Undefined members are not sent, and enums accept other strings.
 */

export type MethodsQuery = Asked<wire.DiscoveryQuery>
export type CreatePayment = Asked<wire.CreatePaymentRequest>
export type PayoutsQuery = Asked<Omit<wire.PayoutListQuery, 'status' | 'limit'>> & {
  status?: PayoutStatus | readonly PayoutStatus[] | undefined
  limit?: number | string | undefined
}

type Asked<T> = [T] extends [string]
  ? OpenEnum<T>
  : [T] extends [object]
    ? { [M in keyof T]: Asked<NonNullable<T[M]>> | (undefined extends T[M] ? undefined : never) }
    : T

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call and the pauses between its attempts. */
  signal?: AbortSignal | undefined
}

export interface KeyedCallOptions extends CallOptions {
  /** With a key, a call is safe to repeat, because the server executes it once. */
  idempotencyKey?: string | undefined
}
