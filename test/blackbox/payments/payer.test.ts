import { beforeEach, describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { SICK } from '../../support/gateway/probe-catalogue.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectInvalid, namedFields } from '../../support/http/answers.ts'
import { imageFile, multipart, type Part } from '../../support/http/multipart.ts'
import { jpeg, MOST_BYTES, NOT_IMAGES, padded, png } from '../../support/payments/receipt-images.ts'

/** What the payer does on the hosted page, with the page's form and with a call of the control surface. */

const server = sharedServer()
let account: Account

beforeEach(async () => {
  account = await openAccount(server())
})

type Fields = Record<string, string>

const FORM = {
  method: 'probe_form',
  customer_name: 'Ann Lee',
  customer_phone: '+66812345678',
  account_name: 'Ann Lee',
  account_number: '1234567890',
  bank: 'alpha',
  name_th: 'แอน ลี',
}
const without = (field: keyof typeof FORM): Fields => {
  const { [field]: _, ...others } = FORM
  return others
}

const nobody = { customer: {} }
const choose = (payment: string, body: unknown) =>
  account.control('POST', `/payments/${payment}/choose`, { body })
/** A page answers a form with a redirect, or with itself again. */
async function submit(
  { next_action: { url } }: Json,
  body: URLSearchParams | FormData | Uint8Array<ArrayBuffer>,
) {
  const headers: Fields = body instanceof Uint8Array ? multipart([]).headers : {}
  return (await fetch(url, { method: 'POST', body, headers, redirect: 'manual' })).status
}
const formOf = (fields: Fields) => new URLSearchParams({ act: 'choose', ...fields })
const sendReceipt = (payment: string, parts: Part[]) =>
  account.control('POST', `/payments/${payment}/receipt`, multipart(parts))
const record = (id: string) => succeeded(account.control('GET', `/payments/${id}`))

test('an intent without a method cannot succeed, and the refusal names the way on', async () => {
  const { id } = await account.payHosted()
  const refused = await account.trigger(id, 'succeed')
  expectError(refused, 422, 'invalid_state')
  expect(refused.body.error.message).toMatch(
    /choose one first, on its page or with `paysim sim payments choose`/,
  )
  const chosen = await choose(id, { method: 'probe_qr' })
  expect(chosen.body, chosen.text).toMatchObject({ id, status: 'pending', route: { method: 'probe_qr' } })
  expect((await account.trigger(id, 'succeed')).body).toMatchObject({ status: 'succeeded' })
})

describe('the payer chooses', () => {
  test('and both doors leave the same payment, by the payer', async () => {
    const [byCall, onPage] = [await account.payHosted(nobody), await account.payHosted(nobody)]
    const padding: Fields = { ...FORM, bank: ' alpha ', customer_name: '  Ann Lee' }
    expect((await choose(byCall.id, padding)).status).toBe(200)
    expect(await submit(onPage, formOf(padding))).toBe(303)
    const { id: _, ...one } = await record(byCall.id)
    const { id: __, ...other } = await record(onPage.id)
    expect({ ...one, next_action: null }).toEqual({ ...other, next_action: null })
    expect(one).toMatchObject({
      payment_method: 'probe_form',
      customer: { name: 'Ann Lee', phone: '+66812345678' },
      payment_method_options: { bank: 'alpha', name_th: 'แอน ลี' },
    })
    const entries = await rows(account.control('GET', `/history/${byCall.id}`))
    expect(entries.at(-1)).toMatchObject({ by: 'payer' })
    const twin = await rows(account.control('GET', `/history/${onPage.id}`))
    const types = (all: Json[]) => all.map(({ by, events }) => [by, events.map(({ type }: Json) => type)])
    expect(types(entries)).toEqual(types(twin))
  })

  test('the same again, and nothing more happens, also after the end', async () => {
    const made = await account.payHosted(nobody)
    const first = await choose(made.id, FORM)
    const kept = await rows(account.control('GET', `/history/${made.id}`))
    expect((await choose(made.id, FORM)).body).toEqual(first.body)
    expect(await submit(made, formOf(FORM))).toBe(303)
    await account.trigger(made.id, 'fail')
    expect((await choose(made.id, { ...FORM, bank: ' alpha' })).body).toMatchObject({ status: 'failed' })
    expect(await submit(made, formOf(FORM))).toBe(303)
    expect(await rows(account.control('GET', `/history/${made.id}`))).toHaveLength(kept.length + 1)
  })

  /** The status of both, the code and the fields of the call. */
  type Refusal = [what: string, fields: Fields, status: number, code: string, named?: string[]]
  const long = 'x'.repeat(257)
  const refusals: Refusal[] = [
    ['an unknown method', { method: 'cash' }, 422, 'payment_configuration_unavailable', ['method']],
    ['no configured route', { method: 'probe_merchant_only' }, 422, 'payment_configuration_unavailable'],
    ['no healthy route', { method: 'probe_sick' }, 422, 'routing_unavailable'],
    [
      'a bank without a route',
      { method: 'probe_banks', bank: 'omega' },
      422,
      'payment_configuration_unavailable',
    ],
    ['a bank whose provider is down', { method: 'probe_banks', bank: 'delta' }, 422, 'routing_unavailable'],
    ['an unknown bank', { ...FORM, bank: 'zeta' }, 400, 'validation_failed', ['bank']],
    [
      'a bank of a method without banks',
      { method: 'probe_qr', bank: 'bbl' },
      400,
      'validation_failed',
      ['bank'],
    ],
    ['no bank', { method: 'probe_banks' }, 400, 'validation_failed', ['bank']],
    ['a blank bank', { ...FORM, bank: ' ' }, 400, 'validation_failed', ['bank']],
    ['no name', without('customer_name'), 400, 'validation_failed', ['customer_name']],
    ['no phone number', without('customer_phone'), 400, 'validation_failed', ['customer_phone']],
    ['no account', without('account_number'), 400, 'validation_failed', ['account_number']],
    ['a blank name in Thai', { ...FORM, name_th: '\t' }, 400, 'validation_failed', ['name_th']],
    [
      'two long texts',
      { ...FORM, account_name: long, customer_phone: long },
      400,
      'validation_failed',
      ['account_name', 'customer_phone'],
    ],
    ['a long method', { method: long }, 400, 'validation_failed', ['method']],
    ['nothing at all', { method: '' }, 400, 'validation_failed', ['method']],
  ]

  test.each(refusals)('%s: refused at both doors', async (_, fields, status, code, named = []) => {
    await account.setHealth(SICK, false)
    const made = await account.payHosted(nobody)
    const refused = await choose(made.id, fields)
    expectError(refused, status, code)
    expect(namedFields(refused).sort()).toEqual(named)
    for (const name of named.slice(0, 1)) expect(refused.body.error.message).toContain(name)
    expect(await submit(made, formOf(fields))).toBe(status)
    expect(await record(made.id)).toMatchObject({ route: null, status: 'pending' })
  })

  const states: [what: string, before: (id: string) => Promise<unknown>][] = [
    ['another method', id => choose(id, { method: 'probe_qr' })],
    ['the end', id => account.trigger(id, 'fail')],
    ['the withdrawal of its action', id => account.trigger(id, 'withdraw-action')],
    ['its expiry', () => account.advance('73h')],
  ]

  test.each(states)('after %s: refused at both doors', async (_, before) => {
    const made = await account.payHosted(nobody)
    await before(made.id)
    expectError(await choose(made.id, FORM), 422, 'invalid_state')
    expect(await submit(made, formOf(FORM))).toBe(422)
  })

  test('another bank or name is another choice', async () => {
    const made = await account.payHosted(nobody)
    await succeeded(choose(made.id, FORM))
    for (const other of [{ customer_name: 'Bob' }, { account_number: '1' }, { method: 'probe_qr' }]) {
      expectError(await choose(made.id, { ...FORM, ...other }), 422, 'invalid_state')
      expect(await submit(made, formOf({ ...FORM, ...other }))).toBe(422)
    }
  })

  test('only what the call knows is taken, of a payment that is there', async () => {
    const { id } = await account.payHosted()
    expectInvalid(await choose(id, { method: 'probe_qr', colour: 'red' }), 'colour')
    expectInvalid(await choose(id, { bank: 'alpha' }), 'method')
    expectInvalid(await choose(id, { method: 7 }), 'method')
    expectError(await choose('pi_none', { method: 'probe_qr' }), 404, 'not_found')
    expectError(await sendReceipt('pi_none', [imageFile(png())]), 404, 'not_found')
    expectError(await account.control('POST', '/payments/pi_none/return'), 404, 'not_found')
  })
})

describe('the payer sends a receipt', () => {
  const asForm = (parts: Part[]) => multipart([{ name: 'act', content: 'receipt' }, ...parts]).raw

  test.each([png(), jpeg(), padded(png(), MOST_BYTES)])('with the call, as on the page', async image => {
    const [byCall, onPage] = await Promise.all(
      [1, 2].map(() => account.payHosted({ payment_method: 'probe_receipt' })),
    )
    const sent = await sendReceipt(byCall.id, [imageFile(image)])
    expect(sent.body, sent.text).toMatchObject({ id: byCall.id, receipt: { status: 'processing' } })
    expect(await submit(onPage, asForm([imageFile(image)]))).toBe(303)
    const { receipt_image } = await record(onPage.id)
    expect(sent.body.receipt_image).toEqual(receipt_image)
    const again = await sendReceipt(byCall.id, [imageFile(image)])
    expect(again.body).toEqual(sent.body)
    expect(await account.providerCalls(byCall.id, 'submit_receipt')).toBe(1)
  })

  const refusals: [string, Part[]][] = [
    ['no file', []],
    ['a text named file', [{ name: 'file', content: png() }]],
    ['two files', [imageFile(png(1)), imageFile(png(2))]],
    ['a byte too much', [imageFile(padded(png(), MOST_BYTES + 1))]],
    ['a form over its limit', [imageFile(padded(png(), 9 * 1024 * 1024))]],
    ...NOT_IMAGES.map(([what, content]): [string, Part[]] => [what, [imageFile(content)]]),
  ]

  test.each(refusals)('%s: refused at both doors', async (_, parts) => {
    const made = await account.payHosted({ payment_method: 'probe_receipt' })
    expectInvalid(await sendReceipt(made.id, parts), 'file')
    expect(await submit(made, asForm(parts))).toBe(400)
    expect(await record(made.id)).toMatchObject({ receipt_image: null })
  })

  const states: [
    what: string,
    method: string | undefined,
    code: string,
    before?: (id: string) => Promise<Answer>,
  ][] = [
    ['of a method without receipts', 'probe_qr', 'provider_capability_unsupported'],
    ['before a method', undefined, 'provider_capability_unsupported'],
    ['beside another one', 'probe_receipt', 'invalid_state', id => sendReceipt(id, [imageFile(png(9))])],
    ['after the end', 'probe_receipt', 'invalid_state', id => account.trigger(id, 'fail')],
  ]

  test.each(states)('%s: refused at both doors', async (_, payment_method, code, before) => {
    const made = await account.payHosted({ payment_method })
    await before?.(made.id)
    expectError(await sendReceipt(made.id, [imageFile(png())]), 422, code)
    expect(await submit(made, asForm([imageFile(png())]))).toBe(422)
  })

  test('what is no form is refused', async () => {
    const { id } = await account.payHosted({ payment_method: 'probe_receipt' })
    expectInvalid(await account.control('POST', `/payments/${id}/receipt`, { body: {} }), 'body')
  })
})
