import type { PayoutIntent, PayoutList } from '../../../client/resources.ts'
import { memberAt } from '../../../contract/json.ts'
import { memberColumn, moneyColumn, statusColumn, timeColumn } from '../columns.ts'
import { formatMoney, listAt, plain } from '../members.ts'
import {
  drawRecord,
  drawRest,
  type Field,
  failureField,
  fieldOf,
  restFields,
  sections,
  timeField,
  titleOf,
} from '../record.ts'
import type { Screen } from '../screen.ts'
import { drawTable, type Table } from '../table.ts'
import { visible } from '../text.ts'
import { drawAny, type ListView, type View } from '../view.ts'

export const payoutView: View<PayoutIntent> = {
  human: drawPayout,
  mayLack: ['failure_code', 'failure_message', 'cancel_reason'],
}

const KNOWN = [
  ...['id', 'object', 'amount', 'currency', 'country', 'environment', 'merchant_reference', 'status'],
  ...['recipient', 'failure_code', 'failure_message', 'cancel_reason', 'created_at', 'updated_at'],
]

function drawPayout(payout: unknown, screen: Screen): string {
  if (memberAt(payout, 'id') === undefined) return drawAny(payout, screen)
  const member = (...names: string[]) => memberAt(payout, ...names)
  const recipient = member('recipient')
  const fields: Field[] = [
    { label: 'amount', value: formatMoney(member('amount'), member('currency')) },
    fieldOf('recipient', memberAt(recipient, 'holder_name') ?? recipient),
    fieldOf('account', bankAccount(payout)),
    fieldOf('reference', member('merchant_reference')),
    fieldOf('country', member('country')),
    fieldOf('environment', member('environment')),
    fieldOf('cancelled for', member('cancel_reason')),
    failureField('failure', payout, screen),
    timeField('created', member('created_at'), screen),
    timeField('updated', member('updated_at'), screen),
    ...restFields(recipient, ['type', 'bank_code', 'holder_name', 'account_last4'], 'recipient.'),
  ]
  return sections(
    `${titleOf(payout, screen)}\n${drawRecord(fields, screen)}`,
    drawRest(payout, KNOWN, screen),
  )
}

/** `bbl *1234`: the bank code and the last four digits of the account. */
export function bankAccount(payout: unknown): string {
  const last4 = plain(memberAt(payout, 'recipient', 'account_last4'))
  return `${plain(memberAt(payout, 'recipient', 'bank_code'))} ${last4 && `*${last4}`}`.trim()
}

const TABLE: Table = {
  empty: 'No payouts.',
  columns: [
    memberColumn('id', 'id'),
    moneyColumn(),
    statusColumn('status', 'status'),
    memberColumn('reference', 'merchant_reference', { give: 1, least: 12 }),
    memberColumn('recipient', 'recipient.holder_name', { give: 2, least: 14 }),
    timeColumn('created', 'created_at', { give: 3 }),
    { header: 'account', value: bankAccount, give: 4, whole: true },
    memberColumn('failure', 'failure_code', { give: 5, whole: true }),
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

/** Counts payouts and sums their amounts, for a line on stderr at the end of a list. */
export interface PayoutTotals {
  add(payouts: readonly unknown[]): void
  /** `25 payouts, 1,234.50 THB, 5,000 VND`, safe for a terminal. */
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
