// A client made by orval, with a function for each media type of a body (`splitByContentType`).
import assert from 'node:assert/strict'
import { chooseMethod, listPayments, sendReceipt } from './orval/control.ts'
import { cancelPayment, createPayment, submitReceiptWithFormData } from './orval/merchant.ts'
import { basic, MONEY, type Simulator } from './simulator.ts'

export async function run(simulator: Simulator): Promise<void> {
  const { account, slip } = simulator
  const asMerchant = (key?: string) => ({
    headers: { authorization: basic(simulator), ...(key ? { 'Idempotency-Key': key } : {}) },
  })
  const asController = { headers: { authorization: `Bearer ${simulator.token}` } }

  const hosted = await createPayment(
    { ...MONEY, checkout_mode: 'hosted', merchant_reference: 'orval-1', customer: {} },
    asMerchant(),
  )
  assert(hosted.status === 201, JSON.stringify(hosted.data))
  const { id } = hosted.data
  const choice = await chooseMethod(
    account,
    id,
    { method: 'th_bank_transfer', bank: 'gsb', customer_name: 'Somchai Jaidee' },
    asController,
  )
  assert(choice.status === 200, JSON.stringify(choice.data))
  const action = choice.data.next_action
  assert(action?.type === 'redirect_to_url', JSON.stringify(action))
  assert(URL.canParse(action.url))
  assert(choice.data.instrument?.type === 'display_bank_transfer_instructions')
  assert.equal(choice.data.instrument.bank.code, 'gsb')

  const sent = await sendReceipt(account, id, { file: slip }, asController)
  assert(sent.status === 200, JSON.stringify(sent.data))
  assert.equal(sent.data.receipt?.status, 'processing')

  const transfer = await createPayment(
    {
      ...MONEY,
      checkout_mode: 'merchant',
      merchant_reference: 'orval-2',
      customer: { name: 'Somchai Jaidee' },
      payment_method: 'th_bank_transfer',
    },
    asMerchant('orval-2'),
  )
  assert(transfer.status === 201, JSON.stringify(transfer.data))
  const receipt = await submitReceiptWithFormData(transfer.data.id, { file: slip }, asMerchant('orval-3'))
  assert(receipt.status === 200, JSON.stringify(receipt.data))
  assert.equal(receipt.data.receipt?.status, 'processing')

  const cancellation = await cancelPayment(id, {}, asMerchant())
  assert(cancellation.status === 202, JSON.stringify(cancellation.data))

  const list = await listPayments(account, { limit: 1 }, asController)
  assert(list.status === 200)
  assert.equal(list.data.data.length, 1)
}
