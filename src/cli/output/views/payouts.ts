import type { PayoutList } from '../../../client/resources.ts'
import { formatMoney } from '../money.ts'
import { listAt, memberAt, plain } from '../plain.ts'
import type { ListView } from '../printer.ts'
import { paintStatus } from '../status.ts'
import { drawTable, type Table } from '../table.ts'
import { showTime } from '../time.ts'
import { visible } from '../visible.ts'
import { drawAny } from './any.ts'
import { accountOf, payoutView } from './payout.ts'

const TABLE: Table = {
  empty: 'no payouts',
  columns: [
    { header: 'ID', path: 'id', value: payout => plain(memberAt(payout, 'id')) },
    {
      header: 'AMOUNT',
      path: 'amount',
      value: payout => formatMoney(memberAt(payout, 'amount'), memberAt(payout, 'currency')),
      align: 'right',
    },
    {
      header: 'STATUS',
      path: 'status',
      value: payout => plain(memberAt(payout, 'status')),
      paint: (shown, payout, { paint }) => paintStatus(memberAt(payout, 'status'), paint, shown),
    },
    {
      header: 'REFERENCE',
      path: 'merchant_reference',
      value: payout => plain(memberAt(payout, 'merchant_reference')),
      give: 1,
      least: 12,
    },
    {
      header: 'RECIPIENT',
      path: 'recipient.holder_name',
      value: payout => plain(memberAt(payout, 'recipient', 'holder_name')),
      give: 2,
      least: 14,
    },
    {
      header: 'CREATED',
      path: 'created_at',
      value: (payout, screen) => showTime(memberAt(payout, 'created_at'), screen).value,
      give: 3,
      // A time that is cut says less than none.
      whole: true,
    },
    { header: 'ACCOUNT', value: accountOf, give: 4, whole: true },
    {
      header: 'FAILURE',
      path: 'failure_code',
      value: payout => plain(memberAt(payout, 'failure_code')),
      give: 5,
      whole: true,
    },
  ],
}

export const payoutsView: ListView<PayoutList> = {
  human: (list, screen) =>
    listAt(list, 'data') ? drawTable(rowsOf(list), TABLE, screen) : drawAny(list, screen),
  rows: rowsOf,
  table: TABLE,
  csv: [
    ...['id', 'status', 'amount', 'currency', 'country', 'merchant_reference'],
    ...['recipient.type', 'recipient.bank_code', 'recipient.holder_name', 'recipient.account_last4'],
    ...['failure_code', 'failure_message', 'environment', 'created_at', 'updated_at'],
  ],
  csvLeavesOut: ['object'],
  mayLack: [...(payoutView.mayLack ?? []), 'next_cursor'],
}

/** Counts and sums what went by, for a line on stderr once the list has ended. */
export interface PayoutTotals {
  add(payouts: readonly unknown[]): void
  /** `25 payouts, 1,234.50 THB, 5,000 VND`, fit for a terminal. */
  line(): string
}

export function payoutTotals(): PayoutTotals {
  let count = 0
  const sums = new Map<string, bigint>()
  return {
    add(payouts) {
      count += payouts.length
      for (const payout of payouts) {
        const amount = plain(memberAt(payout, 'amount'))
        const currency = plain(memberAt(payout, 'currency'))
        if (/^-?\d+$/.test(amount)) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount))
      }
    },
    line() {
      const amounts = [...sums].map(([currency, sum]) => formatMoney(String(sum), currency))
      return visible([`${count} payout${count === 1 ? '' : 's'}`, ...amounts].join(', '))
    },
  }
}

function rowsOf(list: unknown): readonly unknown[] {
  return listAt(list, 'data') ?? []
}
