import type { Instrument } from '../events.ts'
import { type DigitSource, digitSource, groupedReference, referenceOf } from './digits.ts'
import { makeQrPayload } from './qr-payload.ts'

export type { Instrument }

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

interface Bank {
  code: string
  label: string
}

interface BankTransferRequest {
  paymentId: string
  country: string
  method: Bank & { banks?: readonly Bank[] }
  bank: string | null
  payee: string
}

type BankTransferInstructions = Omit<
  Extract<Instrument, { type: 'display_bank_transfer_instructions' }>,
  'type'
>

/** How many digits the account numbers of the country's large banks have. Indonesia's is that of a virtual account. */
const ACCOUNT_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['TH', 10],
  ['VN', 13],
  ['ID', 16],
  ['PH', 12],
  ['MY', 12],
])
const USUAL_ACCOUNT_LENGTH = 12

function makeBankTransfer(request: BankTransferRequest): BankTransferInstructions {
  const digits = digitSource(request.paymentId, 'account')
  const number = digits.digits(ACCOUNT_LENGTHS.get(request.country) ?? USUAL_ACCOUNT_LENGTH)
  const { code, label } = receivingBank(request, digits)
  return {
    bank: { code, label },
    account: { name: `${request.payee.trim() || 'Merchant'} Collections`, number },
    reference: groupedReference(referenceOf(request.paymentId)),
  }
}

function receivingBank({ method, bank }: BankTransferRequest, digits: DigitSource): Bank {
  const banks = method.banks ?? []
  if (bank !== null) return banks.find(({ code }) => code === bank) ?? { code: bank, label: bank }
  return banks[digits.below(banks.length)] ?? method
}
