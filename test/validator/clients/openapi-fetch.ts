// A client made by openapi-typescript and openapi-fetch.
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths as ControlPaths } from './openapi-typescript/control.ts'
import type { paths } from './openapi-typescript/merchant.ts'
import { basic, MONEY, type Simulator } from './simulator.ts'

/** As the documentation of openapi-fetch has it. */
function asForm(body: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) form.append(name, value)
  return form
}

export async function run(simulator: Simulator): Promise<void> {
  const { account, slip } = simulator
  const merchant = createClient<paths>({
    baseUrl: simulator.url,
    headers: { authorization: basic(simulator) },
  })
  const control = createClient<ControlPaths>({
    baseUrl: simulator.controlUrl,
    headers: { authorization: `Bearer ${simulator.token}` },
  })

  const hosted = await merchant.POST('/payment_intents', {
    body: { ...MONEY, checkout_mode: 'hosted', merchant_reference: 'openapi-fetch-1', customer: {} },
  })
  assert.equal(hosted.response.status, 201, JSON.stringify(hosted.error))
  const id = hosted.data?.id ?? ''
  const choice = await control.POST('/accounts/{account}/payments/{id}/choose', {
    params: { path: { account, id } },
    body: { method: 'th_bank_transfer', bank: 'gsb', customer_name: 'Somchai Jaidee' },
  })
  assert.equal(choice.response.status, 200, JSON.stringify(choice.error))
  const action = choice.data?.next_action
  assert(action?.type === 'redirect_to_url', JSON.stringify(action))
  assert(URL.canParse(action.url))
  assert(choice.data?.instrument?.type === 'display_bank_transfer_instructions')
  assert.equal(choice.data.instrument.bank.code, 'gsb')

  const sent = await control.POST('/accounts/{account}/payments/{id}/receipt', {
    params: { path: { account, id } },
    body: { file: slip },
    bodySerializer: asForm,
  })
  assert.equal(sent.data?.receipt?.status, 'processing', JSON.stringify(sent.error))

  const transfer = await merchant.POST('/payment_intents', {
    params: { header: { 'Idempotency-Key': 'openapi-fetch-2' } },
    body: {
      ...MONEY,
      checkout_mode: 'merchant',
      merchant_reference: 'openapi-fetch-2',
      customer: { name: 'Somchai Jaidee' },
      payment_method: 'th_bank_transfer',
    },
  })
  const receipt = await merchant.POST('/payment_intents/{id}/receipt', {
    params: { path: { id: transfer.data?.id ?? '' }, header: { 'Idempotency-Key': 'openapi-fetch-3' } },
    body: { file: slip },
    bodySerializer: asForm,
  })
  assert.equal(receipt.data?.receipt?.status, 'processing', JSON.stringify(receipt.error))

  const cancellation = await merchant.POST('/payment_intents/{id}/cancel-pending', {
    params: { path: { id } },
    body: {},
  })
  assert.equal(cancellation.response.status, 202, JSON.stringify(cancellation.error))

  const list = await control.GET('/accounts/{account}/payments', {
    params: { path: { account }, query: { limit: 1 } },
  })
  assert.equal(list.data?.data.length, 1)
}
