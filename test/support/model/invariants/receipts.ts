import type { Entry } from '../../../../src/domain/events.ts'
import type { Receipt } from '../../../../src/domain/model.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'
import { paymentsIn } from './payments.ts'

/** The transitions in the interface document, and those before the route is chosen. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  none: ['required', 'processing'],
  required: ['processing'],
  processing: ['submitted', 'rejected'],
  submitted: [],
  rejected: ['processing'],
}

/** Checks receipts and their assets. */
export class Receipts implements Watch {
  readonly #last = new Map<string, Receipt>()
  readonly #attached = new Map<string, string>()

  entry(entry: Entry, { world }: Machine): void {
    for (const id of paymentsIn(entry)) {
      const receipt = world.payments.get(id)?.receipt
      if (receipt) this.#moved(id, receipt)
    }
  }

  #moved(id: string, now: Receipt): void {
    const before = this.#last.get(id)
    this.#last.set(id, now)
    if (before?.status !== now.status)
      must(
        !!MOVES[before?.status ?? 'none']?.includes(now.status),
        'a receipt moves only as its table says',
        {
          before,
          now,
        },
      )
    const submitted = now.status === 'processing' && before?.status !== 'processing'
    const submissions = (before?.submissions ?? 0) + (submitted ? 1 : 0)
    must(now.submissions === submissions, 'each submission is counted once', { before, now })
    if (before && !submitted)
      must(
        now.digest === before.digest && now.assetId === before.assetId,
        'a receipt is replaced only by a new submission',
        { before, now },
      )
  }

  step({ world }: Machine): void {
    const holders = new Map<string, string>()
    for (const [id, { receipt }] of world.payments) {
      if (!receipt?.assetId) continue
      must(!holders.has(receipt.assetId), 'an asset is on one intent only', { asset: receipt.assetId })
      holders.set(receipt.assetId, id)
      must(world.assets.get(receipt.assetId)?.paymentId === id, 'an asset knows its intent', receipt)
    }
    for (const { id, paymentId } of world.assets.values()) {
      const before = this.#attached.get(id)
      must(before === undefined || before === paymentId, 'an asset stays where it was attached', {
        id,
        before,
      })
      if (paymentId !== null) this.#attached.set(id, paymentId)
    }
    callsAgree(world)
  }
}

/** Checks the calls to the provider: one start, at most one cancellation, and each receipt once. */
function callsAgree({ payments, providerCalls }: Machine['world']): void {
  const calls = new Map<string, Record<string, number>>()
  for (const { paymentId, call } of providerCalls.values()) {
    const counts = calls.get(paymentId) ?? {}
    calls.set(paymentId, { ...counts, [call]: (counts[call] ?? 0) + 1 })
  }
  for (const [id, { route, receipt, cancelRequestedAt }] of payments) {
    const { start = 0, cancel = 0, submit_receipt: submissions = 0 } = calls.get(id) ?? {}
    must(start === (route ? 1 : 0), 'the provider starts once, when a route is frozen', id)
    must(cancel === (cancelRequestedAt === null ? 0 : 1), 'the provider is asked to cancel once', id)
    must(submissions === (receipt?.submissions ?? 0), 'the provider gets each receipt once', id)
  }
}
