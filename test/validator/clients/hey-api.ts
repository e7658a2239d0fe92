// A client made by @hey-api/openapi-ts. Of a body with two media types it knows only JSON, so an image becomes an asset
// first, and the receipt names it.
import assert from 'node:assert/strict'
import { createClient as createControlClient } from './hey-api/control/client/index.ts'
import { chooseMethod, listPayments, sendReceipt, uploadAsset } from './hey-api/control/index.ts'
import { createClient } from './hey-api/merchant/client/index.ts'
import { cancelPayment, createPayment, submitReceipt } from './hey-api/merchant/index.ts'
import { MONEY, type Simulator } from './simulator.ts'

export async function run(simulator: Simulator): Promise<void> {
  const { account, slip } = simulator
  const client = createClient({
    baseUrl: simulator.url,
    auth: () => `${simulator.publicKey}:${simulator.secretKey}`,
  })
  const control = createControlClient({ baseUrl: simulator.controlUrl, auth: () => simulator.token })

  const hosted = await createPayment({
    client,
    body: { ...MONEY, checkout_mode: 'hosted', merchant_reference: 'hey-api-1', customer: {} },
  })
  assert.equal(hosted.response?.status, 201, JSON.stringify(hosted.error))
  const id = hosted.data?.id ?? ''
  const choice = await chooseMethod({
    client: control,
    path: { account, id },
    body: { method: 'th_bank_transfer', bank: 'gsb', customer_name: 'Somchai Jaidee' },
  })
  assert.equal(choice.response?.status, 200, JSON.stringify(choice.error))
  const action = choice.data?.next_action
  assert(action?.type === 'redirect_to_url', JSON.stringify(action))
  assert(URL.canParse(action.url))
  assert(choice.data?.instrument?.type === 'display_bank_transfer_instructions')
  assert.equal(choice.data.instrument.bank.code, 'gsb')

  const sent = await sendReceipt({ client: control, path: { account, id }, body: { file: slip } })
  assert.equal(sent.data?.receipt?.status, 'processing', JSON.stringify(sent.error))

  const transfer = await createPayment({
    client,
    headers: { 'Idempotency-Key': 'hey-api-2' },
    body: {
      ...MONEY,
      checkout_mode: 'merchant',
      merchant_reference: 'hey-api-2',
      customer: { name: 'Somchai Jaidee' },
      payment_method: 'th_bank_transfer',
    },
  })
  const asset = await uploadAsset({ client: control, path: { account }, body: { file: slip } })
  const receipt = await submitReceipt({
    client,
    path: { id: transfer.data?.id ?? '' },
    body: { asset_id: asset.data?.id ?? '' },
  })
  assert.equal(receipt.data?.receipt?.status, 'processing', JSON.stringify(receipt.error))

  const cancellation = await cancelPayment({ client, path: { id }, body: {} })
  assert.equal(cancellation.response?.status, 202, JSON.stringify(cancellation.error))

  const list = await listPayments({ client: control, path: { account }, query: { limit: 1 } })
  assert.equal(list.data?.data.length, 1)
}
