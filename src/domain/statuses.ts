/** Where a record can stand. */

export type TerminalStatus = 'succeeded' | 'failed' | 'expired'
export type PaymentStatus = 'pending' | 'processing' | TerminalStatus
export type ReceiptStatus = 'required' | 'processing' | 'submitted' | 'rejected'
export type PayoutStatus = 'requires_approval' | 'processing' | 'succeeded' | 'failed' | 'cancelled'
export type DeliveryStatus = 'pending' | 'attempting' | 'delivered' | 'failed' | 'dropped'
