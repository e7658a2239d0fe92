import type { PaymentRecord } from '../../../../client/control-client.ts'
import { idColumn, memberColumn, moneyColumn, statusColumn } from './columns.ts'
import { listView } from './list-view.ts'

export const receiptsView = listView<PaymentRecord>(
  'No payment wants a receipt.',
  [
    idColumn('payment'),
    statusColumn('payment is', 'status'),
    statusColumn('receipt', 'receipt.status'),
    memberColumn('rejected for', 'receipt.failure_message', { give: 2 }),
    memberColumn('sent', 'receipt_image.submissions', { align: 'right', give: 3 }),
    moneyColumn({ give: 4 }),
    memberColumn('asset', 'receipt_image.asset_id', { give: 5, whole: true }),
    memberColumn('SHA-256', 'receipt_image.digest', { give: 6, least: 12 }),
  ],
  [
    'id',
    'status',
    'receipt.status',
    'receipt.failure_message',
    'receipt_image.submissions',
    'receipt_image.digest',
  ],
)
