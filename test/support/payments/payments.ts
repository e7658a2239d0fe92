import { expect } from 'vitest'
import { type Account, type Json, succeeded } from '../gateway/merchant.ts'
import type { Answer } from '../gateway/server.ts'
import { imageForm } from './images.ts'

type Fields = Record<string, unknown>

export function paymentBody(changes: Fields = {}): Fields {
  return {
    amount: '25000',
    currency: 'THB',
    country: 'TH',
    checkout_mode: 'merchant',
    merchant_reference: 'order-1',
    customer: {},
    payment_method: 'th_promptpay',
    ...changes,
  }
}

export const hostedBody = (changes: Fields = {}): Fields =>
  paymentBody({ checkout_mode: 'hosted', payment_method: undefined, ...changes })

export function postPayment(account: Account, body: Fields, headers: Record<string, string> = {}) {
  return account.call('POST', '/payment_intents', { body, headers })
}

/** Creates a payment: a QR payment in merchant mode by default. Fails the test if it is refused. */
export async function createPayment(account: Account, changes: Fields = {}): Promise<Json> {
  const answer = await postPayment(account, paymentBody(changes))
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

/** A bank transfer, which waits for its receipt. */
export const createTransfer = (account: Account, changes: Fields = {}): Promise<Json> =>
  createPayment(account, {
    payment_method: 'th_bank_transfer',
    payment_method_options: { bank: 'bbl' },
    ...changes,
  })

/** Uploads a receipt image directly to the payment. */
export const uploadReceipt = (account: Account, id: string, key: string, seed = 1): Promise<Answer> =>
  account.call('POST', `/payment_intents/${id}/receipt`, {
    raw: imageForm(seed),
    headers: { 'idempotency-key': key },
  })

export const attachAsset = (account: Account, id: string, asset: string): Promise<Answer> =>
  account.call('POST', `/payment_intents/${id}/receipt`, { body: { asset_id: asset } })

/** Stores an image in the account by the control surface. */
export const storeAsset = (account: Account, seed = 1, fields: Record<string, string> = {}): Promise<Json> =>
  succeeded(account.control('POST', '/assets', { raw: imageForm(seed, fields) }))
