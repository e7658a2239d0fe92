import fc from 'fast-check'
import { type InstrumentRequest, makeInstrument } from '../../../src/domain/instrument/index.ts'

const CURRENCIES = { TH: 'THB', VN: 'VND', ID: 'IDR', PH: 'PHP', MY: 'MYR', SG: 'SGD' }
type Country = keyof typeof CURRENCIES
export const COUNTRIES = Object.keys(CURRENCIES) as Country[]

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
export const paymentIds = fc
  .array(fc.constantFrom(...BASE62), { minLength: 24, maxLength: 24 })
  .map(letters => `pi_${letters.join('')}`)

export function request(overrides: Partial<InstrumentRequest> = {}): InstrumentRequest {
  return {
    paymentId: 'pi_4fT0Zq8YbLm2WcR6KxVn1JpD',
    action: 'display_qr_code',
    country: 'TH',
    currency: 'THB',
    amount: '123450',
    method: { code: 'th_promptpay', label: 'PromptPay QR', banks: [] },
    bank: null,
    payee: 'Default merchant',
    ...overrides,
  }
}

export const inCountry = (country: Country, overrides: Partial<InstrumentRequest> = {}) =>
  request({ country, currency: CURRENCIES[country], ...overrides })

export function qrOf(asked: InstrumentRequest): string {
  const instrument = makeInstrument(asked)
  if (instrument.type !== 'display_qr_code') throw new Error(`expected a QR code, got ${instrument.type}`)
  return instrument.qrData
}

/** Reads data objects as a bank's app does: strict lengths, each ID once. */
export function parse(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < text.length; ) {
    const head = /^(\d\d)(\d\d)/.exec(text.slice(at, at + 4))
    if (!head) throw new Error(`no data object at ${at} of ${text}`)
    const [, id = '', length = ''] = head
    const value = text.slice(at + 4, at + 4 + Number(length))
    if (value.length !== Number(length) || value.length === 0)
      throw new Error(`tag ${id} is cut short: ${text}`)
    if (id in fields) throw new Error(`tag ${id} twice: ${text}`)
    fields[id] = value
    at += 4 + value.length
  }
  return fields
}

export const template = (fields: Record<string, string>, id: string) => parse(fields[id] ?? '')
