export type { FieldProblem } from '../contract/errors.ts'
export type { WireAnswer } from '../contract/wire-answer.ts'
export type { Call } from './call.ts'
export type { RequestRecord } from './caller.ts'
export { type Client, type ClientOptions, createClient, type RequestOptions } from './create-client.ts'
export { isLive, redactHeaders } from './credentials.ts'
export * from './errors.ts'
export type {
  CancelPayoutOptions,
  Page,
  PagesOptions,
  Payments,
  Payouts,
  ReceiptAssetOptions,
  ReceiptImageOptions,
  WaitOptions,
} from './payments.ts'
export type { Progress, ReceiptFile } from './receipt.ts'
export type * from './resources.ts'
export type { Answer, Transport, Upload, WireRequest } from './transport/transport.ts'
