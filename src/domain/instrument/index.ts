import { type Bank, type BankTransferInstructions, makeBankTransfer } from './bank-transfer.ts'
import { makeQrPayload } from './qr-payload.ts'

/** What a payer is shown. Of the redirect only the kind: its URL and expiry belong to whoever serves the page. */
export type Instrument =
  | { type: 'redirect_to_url' }
  | { type: 'display_qr_code'; qrData: string }
  | ({ type: 'display_bank_transfer_instructions' } & BankTransferInstructions)

export interface InstrumentRequest {
  /** The only source of variation: the same intent shows the same account, reference and code for ever. */
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

/** Takes no provider and no route, so nothing of either can reach the payer. */
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
