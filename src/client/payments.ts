import { formatDuration } from '../contract/durations.ts'
import { OPERATION_PATHS } from '../contract/paths.ts'
import { FINAL_STATUSES } from '../contract/statuses.ts'
import { fill, type Query } from './address.ts'
import type { Expected } from './answer-shape.ts'
import { CALL_OPTIONS, Call, demandKnown, KEYED_CALL_OPTIONS, type NamesOf, orReject } from './call.ts'
import { type Caller, type CallRequest, callSite, withCallSite } from './caller.ts'
import { ApiError, CursorRepeatedError, NotJsonError, WaitTimeoutError } from './errors.ts'
import { type ReceiptImage, receiptUpload } from './receipt.ts'
import type {
  CallOptions,
  CreatePayment,
  KeyedCallOptions,
  PaymentIntent,
  PaymentStatus,
  PayoutIntent,
  PayoutList,
  PayoutsQuery,
} from './resources.ts'
import { isPassing, retryAfter, type Sleep } from './retry.ts'
import type { Answer } from './transport/transport.ts'

export type ReceiptImageOptions = ReceiptImage & KeyedCallOptions
export interface ReceiptAssetOptions extends CallOptions {
  readonly assetId: string
}

export interface Payments {
  create(body: CreatePayment, options?: KeyedCallOptions): Call<PaymentIntent>
  get(id: string, options?: CallOptions): Call<PaymentIntent>
  cancelPending(id: string, options?: KeyedCallOptions): Call<PaymentIntent>
  /** An alias of `cancelPending`. */
  cancel(id: string, options?: KeyedCallOptions): Call<PaymentIntent>
  /** An image gets a generated key if none is given; the call's `idempotencyKey` has it. */
  submitReceipt(id: string, receipt: ReceiptImageOptions | ReceiptAssetOptions): Call<PaymentIntent>
  wait(id: string, options?: WaitOptions): Call<PaymentIntent>
}

const RECEIPT_IMAGE: NamesOf<ReceiptImageOptions> = {
  ...KEYED_CALL_OPTIONS,
  file: true,
  filename: true,
  contentType: true,
  onProgress: true,
}
const RECEIPT_ASSET: NamesOf<ReceiptAssetOptions> = { ...CALL_OPTIONS, assetId: true }
const WAIT: NamesOf<WaitOptions> = { ...CALL_OPTIONS, until: true, timeoutMs: true, onUpdate: true }

export function payments(caller: Caller, createPath: string, tools: Omit<WaitTools, 'get'>): Payments {
  const get: Payments['get'] = (id, options) =>
    orReject(() => {
      demandKnown('payments.get()', options, CALL_OPTIONS)
      return caller.call({
        method: 'GET',
        path: fill(OPERATION_PATHS.getPayment.path, { id }),
        expected: payment(id),
        signal: options?.signal,
      })
    })

  const cancelPending: Payments['cancelPending'] = (id, options) =>
    orReject(() => {
      demandKnown('payments.cancelPending()', options, KEYED_CALL_OPTIONS)
      return caller.call({
        method: 'POST',
        path: fill(OPERATION_PATHS.cancelPayment.path, { id }),
        // A body is not required, but a content type is: an empty object satisfies every server.
        body: {},
        idempotencyKey: options?.idempotencyKey,
        expected: payment(id),
        signal: options?.signal,
      })
    })

  return {
    create: (body, options) =>
      orReject(() => {
        demandKnown('payments.create()', options, KEYED_CALL_OPTIONS)
        const { idempotencyKey, signal } = options ?? {}
        return caller.call({
          method: 'POST',
          path: createPath,
          body,
          idempotencyKey,
          expected: payment(),
          signal,
        })
      }),
    get,
    cancelPending,
    cancel: cancelPending,
    submitReceipt: (id, receipt) => orReject(() => submitReceipt(caller, id, receipt)),
    wait: (id, options = {}) =>
      orReject(() => {
        demandKnown('payments.wait()', options, WAIT)
        const look = () => get(id, { signal: options.signal }).answer()
        return new Call(withCallSite(callSite(), waitFor(options, { ...tools, get: look })))
      }),
  }
}

const payment = (id?: string): Expected => ({
  resource: 'PaymentIntent',
  ...(id === undefined ? {} : { id }),
})

function submitReceipt(
  caller: Caller,
  id: string,
  receipt: ReceiptImageOptions | ReceiptAssetOptions,
): Call<PaymentIntent> {
  const path = fill(OPERATION_PATHS.submitReceipt.path, { id })
  demandKnown('payments.submitReceipt()', receipt, receiptOptions(receipt))
  const { signal } = receipt
  if ('assetId' in receipt) {
    const body = { asset_id: receipt.assetId }
    // The interface document says that repeating the same asset is safe, so it needs no key.
    return caller.call({ method: 'POST', path, body, repeatable: true, expected: payment(id), signal })
  }
  const idempotencyKey = receipt.idempotencyKey ?? crypto.randomUUID()
  return new Call(upload(caller, { path, expected: payment(id), idempotencyKey }, receipt), idempotencyKey)
}

const receiptOptions = (receipt: object) => {
  if ('assetId' in receipt) return RECEIPT_ASSET
  return 'file' in receipt ? RECEIPT_IMAGE : { ...RECEIPT_IMAGE, ...RECEIPT_ASSET }
}

async function upload(
  caller: Caller,
  call: Pick<CallRequest, 'path' | 'expected' | 'idempotencyKey'>,
  { signal, ...image }: ReceiptImageOptions,
): Promise<Answer<PaymentIntent>> {
  const { file } = image
  // A stream may fail before somebody reads it. This keeps the error for the reader, so it does not end the process.
  if (typeof file === 'object' && 'pipe' in file) file.once('error', () => {})
  const form = await receiptUpload(image)
  return caller.call<PaymentIntent>({ ...call, method: 'POST', upload: form, signal }).answer()
}

export interface CancelPayoutOptions extends CallOptions {
  readonly reason?: string | undefined
}

export interface PagesOptions extends CallOptions {
  /** Where to start: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined
  /** The number of payouts to read in all. The last request asks only for those that are left. */
  readonly most?: number | undefined
}

export interface Payouts {
  list(query?: PayoutsQuery, options?: CallOptions): Call<PayoutList>
  pages(query?: PayoutsQuery, options?: PagesOptions): AsyncGenerator<Page, void, void>
  /** Never repeated: a cancelled payout cannot be cancelled again. */
  cancel(id: string, options?: CancelPayoutOptions): Call<PayoutIntent>
}

const CANCEL: NamesOf<CancelPayoutOptions> = { ...CALL_OPTIONS, reason: true }
const PAGES: NamesOf<PagesOptions> = { ...CALL_OPTIONS, cursor: true, most: true }

export function payouts(caller: Caller): Payouts {
  const list: Payouts['list'] = (query = {}, options = {}) =>
    orReject(() => {
      demandKnown('payouts.list()', options, CALL_OPTIONS)
      return caller.call({
        method: 'GET',
        path: OPERATION_PATHS.listPayouts.path,
        query: query as Query,
        expected: { resource: 'PayoutList' },
        signal: options.signal,
      })
    })
  return {
    list,
    async *pages(query = {}, options = {}) {
      demandKnown('payouts.pages()', options, PAGES)
      const { cursor, signal, most } = options
      yield* pagesOf(filters => list(filters, { signal }).answer(), query, { from: cursor, most })
    },
    cancel: (id, options = {}) =>
      orReject(() => {
        demandKnown('payouts.cancel()', options, CANCEL)
        return caller.call({
          method: 'POST',
          path: fill(OPERATION_PATHS.cancelPayout.path, { id }),
          body: { reason: options.reason },
          expected: { resource: 'PayoutIntent', id },
          signal: options.signal,
        })
      }),
  }
}

export interface Page {
  readonly payouts: readonly PayoutIntent[]
  /** The cursor of the next page, to continue later. Null after the last page. */
  readonly nextCursor: string | null
  readonly answer: Answer<PayoutList>
}

/**
 * Requests each page when it is needed, and stores none. Every request repeats the filters, because a cursor does not
 * contain them.
 */
async function* pagesOf(
  list: (query: PayoutsQuery) => Promise<Answer<PayoutList>>,
  query: PayoutsQuery,
  { from, most = Number.POSITIVE_INFINITY }: { from?: string | undefined; most?: number | undefined } = {},
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>()
  let cursor = from ?? query.cursor
  let seenPayouts = 0
  for (;;) {
    if (cursor !== undefined) seen.add(cursor)
    const left = most - seenPayouts
    const isLast = left < Number(query.limit ?? Number.POSITIVE_INFINITY)
    const answer = await list({ ...query, ...(isLast ? { limit: left } : {}), cursor })
    const nextCursor = nextOf(answer.body)
    yield { payouts: answer.body.data, nextCursor, answer }
    seenPayouts += answer.body.data.length
    if (nextCursor === null || seenPayouts >= most) return
    if (seen.has(nextCursor)) throw new CursorRepeatedError(nextCursor, answer)
    cursor = nextCursor
  }
}

/** Some servers send a cursor with the last page, so only has_more counts. */
const nextOf = ({ next_cursor, has_more }: PayoutList): string | null =>
  has_more ? (next_cursor ?? null) : null

export interface WaitOptions {
  /** The statuses to wait for; the final ones by default. Any final status ends the wait. */
  readonly until?: PaymentStatus | readonly PaymentStatus[] | undefined
  readonly timeoutMs?: number | undefined
  /** Called with the first state, and with each change. */
  readonly onUpdate?: ((payment: PaymentIntent, answer: Answer<PaymentIntent>) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

interface WaitTools {
  readonly get: () => Promise<Answer<PaymentIntent>>
  readonly sleep: Sleep
  readonly random: () => number
  /** Milliseconds of any monotonic clock. */
  readonly now: () => number
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5000
const GROWTH = 1.5
const PATIENCE_MS = 10 * 60_000

/** Polls until the payment has an expected status, or can no longer change. */
async function waitFor(options: WaitOptions, tools: WaitTools): Promise<Answer<PaymentIntent>> {
  const { until = FINAL_STATUSES, timeoutMs = PATIENCE_MS, onUpdate, signal } = options
  const ends = new Set([until, FINAL_STATUSES].flat())
  const deadline = tools.now() + timeoutMs
  let shown: string | undefined
  for (let round = 0; ; round++) {
    const answer = await poll(tools)
    if ('payment' in answer) {
      const { payment } = answer
      if (payment.text !== shown) onUpdate?.(payment.body, payment)
      shown = payment.text
      if (ends.has(payment.body.status)) return payment
    }
    const left = deadline - tools.now()
    if (left <= 0) throw tooLate(answer, timeoutMs)
    await tools.sleep(Math.min(left, pauseOf(answer, round, tools.random)), signal)
  }
}

type PollResult =
  | { readonly payment: Answer<PaymentIntent> }
  | { readonly busy: Answer; readonly error: Error }

/** The server may be too busy for one call, but keep waiting. */
async function poll({ get }: WaitTools): Promise<PollResult> {
  try {
    return { payment: await get() }
  } catch (error) {
    const answered = error instanceof ApiError || error instanceof NotJsonError
    if (answered && isPassing(error.status)) return { busy: error.answer, error }
    throw error
  }
}

function pauseOf(result: PollResult, round: number, random: () => number): number {
  const asked = retryAfter('payment' in result ? result.payment : result.busy)
  const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** round)
  // Half of it is random, so that many waiting clients do not poll in step.
  const jittered = backoff * (0.5 + random() / 2)
  return Math.max(asked ?? 0, jittered)
}

function tooLate(result: PollResult, timeoutMs: number): Error {
  if ('error' in result) return result.error
  const { id, status } = result.payment.body
  return new WaitTimeoutError(`${id} was still ${status} after ${formatDuration(timeoutMs)}`, result.payment)
}
