import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type * as Library from '../../../src/index.ts'

/** The built library with the types of the sources. */
const built = new URL('../../../dist/index.js', import.meta.url).href
export const paysim: typeof Library = await import(built)

/** A simulator for one test. */
export async function simulator(options?: Library.StartOptions): Promise<Library.RunningSimulator> {
  const sim = await paysim.startSimulator(options)
  onTestFinished(() => sim.stop())
  return sim
}

/** An account with a virtual clock on a new simulator, for one test. */
export async function standingAccount(
  settings: Library.AccountSettings = {},
): Promise<Library.SimulatedAccount> {
  const sim = await simulator()
  return sim.createAccount({ clock: 'virtual', ...settings })
}

export const promptPay = (reference = 'order-1') => ({
  amount: '25000',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant' as const,
  merchant_reference: reference,
  customer: {},
  payment_method: 'th_promptpay',
})

export const bankTransfer = (reference = 'order-1') => ({
  ...promptPay(reference),
  customer: { name: 'Somchai Jaidee' },
  payment_method: 'th_bank_transfer',
  payment_method_options: { bank: 'bbl' },
})

export const payout = (reference = 'payout-1') => ({
  amount: '5000',
  currency: 'THB',
  country: 'TH',
  merchant_reference: reference,
  recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' },
})

/** A unique file that starts like a PNG. */
export const image = (): Uint8Array =>
  Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), randomBytes(16)])
