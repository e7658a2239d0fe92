import { type Bank, type BankTransferInstructions, makeBankTransfer } from './bank-transfer.ts'
import { makeQrPayload } from './qr-payload.ts'

/**
 * What the payer sees. A redirect has only its kind here; the server that has the page adds URL and expiry.
 */
export type Instrument =
  | { type: 'redirect_to_url' }
  | { type: 'display_qr_code'; qrData: string }
  | ({ type: 'display_bank_transfer_instructions' } & BankTransferInstructions)

export interface InstrumentRequest {
  /** The only source of variation: the same intent always shows the same account, reference and code. */
  paymentId: string
  action: Instrument['type']
  country: string
  currency: string
  /** Minor units, digits of any length. */
  amount: string
  method: Bank & { banks?: readonly Bank[] }
  /** The chosen bank's code. */
  bank: string | null
  /** The merchant's display name, any Unicode. */
  payee: string
}

/** Gets no provider and no route, so it cannot reveal them to the payer. */
export function makeInstrument(request: InstrumentRequest): Instrument {
  switch (request.action) {
    case 'redirect_to_url':
      return { type: 'redirect_to_url' }
    case 'display_qr_code':
      return { type: 'display_qr_code', qrData: makeQrPayload(request) }
    case 'display_bank_transfer_instructions':
      return { type: 'display_bank_transfer_instructions', ...makeBankTransfer(request) }
  }
}
