import type { Entry } from '../../../../src/domain/events.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'

const MOVES: Readonly<Record<string, readonly string[]>> = {
  requires_approval: ['processing', 'cancelled'],
  processing: ['succeeded', 'failed'],
}
const UNCHANGING = ['id', 'amount', 'currency', 'country', 'environment', 'merchant_reference', 'created_at']

/** Checks payout intents, as the merchant reads them, after each entry. */
export class Payouts implements Watch {
  readonly #known = new Map<string, string>()

  entry({ events, at }: Entry, machine: Machine): void {
    for (const event of events) if ('payout' in event) this.#look(event.payout, machine, at)
  }

  step(machine: Machine): void {
    must(machine.world.payouts.size === this.#known.size, 'no payout comes or goes without an entry')
    for (const [id, text] of this.#known)
      must(read(machine, id) === text, 'a payout reads the same until an entry changes it', text)
  }

  #look(id: string, machine: Machine, at: number): void {
    const text = read(machine, id)
    const before = this.#known.get(id)
    if (before === text) return
    this.#known.set(id, text)
    const now = JSON.parse(text)
    must(
      now.recipient.account_last4 === '7890' && !text.includes('34567890'),
      'only four digits are shown',
      text,
    )
    must(
      (now.failure_code !== null) === (now.status === 'failed'),
      'a payout has a failure when failed',
      text,
    )
    if (before === undefined) return
    const was = JSON.parse(before)
    must(!!MOVES[was.status]?.includes(now.status), 'a payout moves only as its table says', { was, now })
    for (const field of UNCHANGING)
      must(was[field] === now[field], `${field} of a payout never changes`, { was, now })
    must(now.updated_at === new Date(at).toISOString(), 'a payout says when it was last changed', { at, now })
  }
}

function read({ world, rendering }: Machine, id: string): string {
  const payout = world.payouts.get(id)
  must(payout !== undefined, 'a payout is never lost', id)
  return rendering.payout(payout)
}
