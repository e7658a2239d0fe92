import { startServer } from './child.js'

/** Starts `paysim serve`, and returns what a client of the default test account needs. */
export async function servePaysim(binary, args) {
  const server = await startServer(binary, ['serve', '--json', '--port', '0', ...args])
  const ready = JSON.parse(server.firstLine)
  const { public_key, secret_key } = ready.accounts.find(({ id }) => id === 'default.test')
  return {
    ...server,
    url: ready.url,
    node: ready.node,
    keys: { publicKey: public_key, secretKey: secret_key },
    authorization: `Basic ${Buffer.from(`${public_key}:${secret_key}`).toString('base64')}`,
    root: ready.control_url,
    control: `${ready.control_url}/accounts/default.test`,
    controlAuthorization: `Bearer ${ready.control_token}`,
  }
}

/** A server with nothing in it. */
export const READY = ['serve', '--ephemeral', '--json', '--port', '0']

export const PAYMENTS = '/payment_intents'
export const PAYOUTS = '/payout_intents'

const paymentBy = method => reference => ({
  amount: '12300',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant',
  payment_method: method,
  customer: { name: 'Somchai Jaidee' },
  merchant_reference: reference,
})
export const transferPayment = paymentBy('th_bank_transfer')
export const qrPayment = paymentBy('th_promptpay')

export const payoutWith = (status, reference) => ({
  amount: '12300',
  currency: 'THB',
  country: 'TH',
  merchant_reference: reference,
  recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' },
  status,
})

export async function getJson(url, authorization) {
  const response = await fetch(url, { headers: { authorization } })
  return answerOf(response)
}

export const postJson = sending('POST')
export const putJson = sending('PUT')

function sending(method) {
  return async (url, authorization, body) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
    return answerOf(response)
  }
}

/** Returns the body as text too, so that the bare server can answer with as many bytes. */
async function answerOf(response) {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return { text, body: JSON.parse(text) }
}
