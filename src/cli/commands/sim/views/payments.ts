import type { PaymentRecord, PayoutRecord } from '../../../../client/control-client.ts'
import { bankAccount } from '../../../output/views/payouts.ts'
import { idColumn, memberColumn, moneyColumn, statusColumn, timeColumn } from './columns.ts'
import { listView } from './list-view.ts'

export const paymentsView = listView<PaymentRecord>(
  'No payments.',
  [
    idColumn(),
    statusColumn('status', 'status'),
    moneyColumn(),
    memberColumn('method', 'payment_method', { give: 2 }),
    statusColumn('receipt', 'receipt.status', { give: 3, whole: true }),
    memberColumn('reference', 'merchant_reference', { give: 1 }),
    memberColumn('rule', 'rule', { give: 6 }),
    memberColumn('provider', 'route.provider', { give: 5 }),
    timeColumn('created', 'created_at', { give: 4 }),
  ],
  [
    ...[
      'id',
      'status',
      'amount',
      'currency',
      'country',
      'checkout_mode',
      'payment_method',
      'merchant_reference',
    ],
    ...['receipt.status', 'failure_code', 'failure_message', 'route.provider', 'route.id', 'rule'],
    ...['customer.name', 'customer.phone', 'customer.email', 'created_at', 'updated_at', 'expires_at'],
  ],
)

export const payoutsView = listView<PayoutRecord>(
  'No payouts.',
  [
    idColumn(),
    statusColumn('status', 'status'),
    moneyColumn(),
    memberColumn('recipient', 'recipient.holder_name', { give: 2 }),
    { header: 'account', value: bankAccount, give: 3, whole: true },
    memberColumn('reference', 'merchant_reference', { give: 1 }),
    memberColumn('rule', 'rule', { give: 6 }),
    timeColumn('created', 'created_at', { give: 4 }),
  ],
  [
    ...['id', 'status', 'amount', 'currency', 'country', 'merchant_reference'],
    ...['recipient.holder_name', 'recipient.bank_code', 'recipient.account_last4'],
    ...['failure_code', 'failure_message', 'cancel_reason', 'rule', 'created_at', 'updated_at'],
  ],
)
