import type * as asked from '../contract/requests.ts'
import type * as wire from '../contract/resources.ts'
import type * as words from '../contract/statuses.ts'

/**
 * What the merchant API returns: the shapes of the contract, but less strict, because another server may send more. A
 * field that does not apply is null or missing, depending on the server.
 */

/** Every enum may have other values. */
export type OpenEnum<Known extends string> = Known | (string & {})

export type PaymentIntent = Read<wire.PaymentIntent>
export type PayoutIntent = Read<wire.PayoutIntent>
export type PayoutList = Read<wire.PayoutList>
export type PaymentMethodOptions = Read<wire.PaymentMethodOptions>
export type PaymentMethod = PaymentMethodOptions['methods'][number]
export type BankChoice = NonNullable<PaymentMethod['options']['banks']>[number]
/** What the payer must do. `type` decides which fields there are; an unknown type has only `type`. */
export type NextAction = Read<wire.NextAction>
export type Receipt = Read<wire.Receipt>

export type Environment = OpenEnum<words.Environment>
export type CheckoutMode = PaymentIntent['checkout_mode']
export type PaymentStatus = OpenEnum<words.PaymentStatus>
export type PayoutStatus = OpenEnum<words.PayoutStatus>
export type ReceiptStatus = OpenEnum<words.ReceiptStatus>
export type ActionType = OpenEnum<wire.ActionType>
export type PayerField = OpenEnum<wire.PayerField>

/** A shape as any server may send it: enums may have other values, and nullable members may be missing. */
type Read<T> = [T] extends [string]
  ? OpenEnum<T>
  : [T] extends [readonly (infer Item)[]]
    ? Read<Item>[]
    : [T] extends [object]
      ? Whole<
          {
            [M in keyof T as IsAlwaysPresent<T, M> extends true ? M : never]: M extends 'object'
              ? T[M]
              : Read<T[M]>
          } & {
            [M in MemberOfAny<T> as IsAlwaysPresent<T, M> extends true ? never : M]?:
              | Read<NonNullable<ValueInAny<T, M>>>
              | (null extends ValueInAny<T, M> ? null | undefined : never)
          }
        >
      : T

/** Whether each of several shapes has this member and it is never null. */
type IsAlwaysPresent<T, M> = M extends keyof T ? (T[M] extends NonNullable<T[M]> ? true : false) : false
type MemberOfAny<T> = T extends unknown ? keyof T : never
type ValueInAny<T, M> = T extends unknown ? (M extends keyof T ? T[M] : never) : never
type Whole<T> = { [M in keyof T]: T[M] }

/**
 * What a merchant can send: the shapes of the contract. Undefined members are not sent, and enums accept other strings.
 */

export type MethodsQuery = Asked<asked.DiscoveryQuery>
export type CreatePayment = Asked<asked.CreatePaymentRequest>
export type PayoutsQuery = Asked<Omit<asked.PayoutListQuery, 'status' | 'limit'>> & {
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
