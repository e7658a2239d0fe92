import { type DigitSource, digitSource } from './digits.ts'
import { groupedReference, referenceOf } from './reference.ts'

export interface Bank {
  code: string
  label: string
}

export interface BankTransferRequest {
  paymentId: string
  country: string
  method: Bank & { banks?: readonly Bank[] }
  bank: string | null
  payee: string
}

export interface BankTransferInstructions {
  bank: Bank
  account: { name: string; number: string }
  reference: string
}

/** How many digits the account numbers of the country's large banks have. Indonesia's is that of a virtual account. */
const ACCOUNT_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['TH', 10],
  ['VN', 13],
  ['ID', 16],
  ['PH', 12],
  ['MY', 12],
])
const USUAL_ACCOUNT_LENGTH = 12

export function makeBankTransfer(request: BankTransferRequest): BankTransferInstructions {
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
