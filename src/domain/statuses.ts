/** Where a record can stand: as the wire has it. */
export type { DeliveryStatus, PaymentStatus, PayoutStatus, ReceiptStatus } from '../contract/statuses.ts'
export type TerminalStatus = 'succeeded' | 'failed' | 'expired'
