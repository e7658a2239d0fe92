/** Bodies of POST /payment_intents that the probe catalogue accepts; changes set to undefined leave a member out. */

const BASE = {
  amount: '15000',
  currency: 'THB',
  country: 'TH',
  merchant_reference: 'order-1',
  customer: { name: 'Somchai Jaidee', phone: '+66812345678', email: 'somchai@example.com' },
}

export function paying(method: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...BASE, checkout_mode: 'merchant', payment_method: method, ...changes }
}

export function hosted(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...BASE, checkout_mode: 'hosted', ...changes }
}

/** The fields that the method `probe_form` requires: all six payer fields. */
export function fillingTheForm(): Record<string, unknown> {
  return paying('probe_form', {
    customer: { name: 'Somchai Jaidee', phone: '+66812345678' },
    payment_method_options: {
      account_name: 'Somchai Jaidee',
      account_number: '1234567890',
      bank: 'alpha',
      name_th: 'สมชาย ใจดี',
    },
  })
}

export function discovering(changes: Record<string, string | undefined> = {}): string {
  const query: Record<string, string | undefined> = {
    amount: '15000',
    country: 'TH',
    currency: 'THB',
    ...changes,
  }
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `/payment_methods/options?${new URLSearchParams(given)}`
}
