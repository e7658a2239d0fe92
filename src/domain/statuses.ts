/** The statuses of records, as on the wire. */
export type { DeliveryStatus, PaymentStatus, PayoutStatus, ReceiptStatus } from '../contract/statuses.ts'
export type TerminalStatus = 'succeeded' | 'failed' | 'expired'
