import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectInvalid } from '../../support/http/answers.ts'
import { imageFile, multipart, type Part } from '../../support/http/multipart.ts'
import { jpeg, MOST_BYTES, NOT_IMAGES, padded, png } from '../../support/payments/receipt-images.ts'
import { freshKey, receiptOf, upload, uploadParts } from '../../support/payments/receipts.ts'

const server = sharedServer()
let account: Account
let intent: string

beforeAll(async () => {
  account = await openAccount(server())
})

beforeEach(async () => {
  intent = (await account.pay('probe_receipt')).id
})

const path = () => `/payment_intents/${intent}/receipt`

async function expectNothingAttached() {
  expect(await receiptOf(account, intent)).toEqual({ status: 'required' })
  expect(await account.providerCalls(intent, 'submit_receipt')).toBe(0)
}

describe('an image is accepted', () => {
  const images: [string, Part[]][] = [
    ['a PNG', [imageFile(png())]],
    ['a JPEG', [imageFile(jpeg(), { filename: 'slip.jpg', type: 'image/jpeg' })]],
    ['a PNG declared as JPEG', [imageFile(png(), { type: 'image/jpeg', filename: 'slip.jpg' })]],
    ['a PNG declared as text', [imageFile(png(), { type: 'text/plain', filename: 'slip.txt' })]],
    ['a JPEG declared as nothing known', [imageFile(jpeg(), { type: 'application/octet-stream' })]],
    ['an image without a declared type', [{ name: 'file', filename: 'slip', content: png() }]],
    ['a file name that is a path', [imageFile(png(), { filename: '../../etc/passwd' })]],
    ['a file name in another script', [imageFile(png(), { filename: 'สลิป.png' })]],
    [
      'fields beside the file',
      [{ name: 'note', content: 'paid' }, imageFile(png()), { name: 'x', content: '' }],
    ],
    ['exactly 5,242,880 bytes of PNG', [imageFile(padded(png(), MOST_BYTES))]],
    ['exactly 5,242,880 bytes of JPEG', [imageFile(padded(jpeg(), MOST_BYTES))]],
  ]

  test.each(images)('%s', async (_, parts) => {
    const answer = await uploadParts(account, intent, parts)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({ id: intent, status: 'pending', receipt: { status: 'processing' } })
    expect(await account.providerCalls(intent, 'submit_receipt')).toBe(1)
  })
})

describe('a file that breaks a rule is refused and named, and nothing is attached', () => {
  const refused: [string, Part[]][] = [
    ['5,242,881 bytes of PNG', [imageFile(padded(png(), MOST_BYTES + 1))]],
    ['5,242,881 bytes of JPEG', [imageFile(padded(jpeg(), MOST_BYTES + 1))]],
    ['a little below the 8 MiB of a body', [imageFile(padded(png(), 8 * 1024 * 1024 - 1024))]],
    ['no part at all', []],
    ['no file', [{ name: 'note', content: 'paid' }]],
    ['two files', [imageFile(png(1)), imageFile(png(2))]],
    ['the same file twice', [imageFile(png()), imageFile(png())]],
    ['another field name', [imageFile(png(), { name: 'image' })]],
    ['the field name in capitals', [imageFile(png(), { name: 'File' })]],
    ['the field as text', [{ name: 'file', content: 'slip.png' }]],
  ]

  test.each(refused)('%s', async (_, parts) => {
    expectInvalid(await uploadParts(account, intent, parts), 'file')
    await expectNothingAttached()
  })

  test.each(NOT_IMAGES)('%s, though declared as PNG', async (_, content) => {
    expectInvalid(await uploadParts(account, intent, [imageFile(content)]), 'file')
    await expectNothingAttached()
  })
})

describe('the Idempotency-Key', () => {
  test('is required', async () => {
    const answer = await account.call('POST', path(), multipart([imageFile(png())]))
    expectError(answer, 400, 'validation_failed')
    expect(answer.text).toMatch(/idempotency-key/i)
    await expectNothingAttached()
  })

  test.each([
    ['256 characters', 'k'.repeat(256)],
    ['none', ''],
    ['a letter outside ASCII', 'clé'],
  ])('of %s is refused', async (_, key) => {
    expectError(await upload(account, intent, png(), { key }), 400, 'validation_failed')
    await expectNothingAttached()
  })

  test.each([
    ['one character', '1'],
    ['255 characters', 'k'.repeat(255)],
    ['no UUID', 'slip_of_order-17'],
  ])('of %s is accepted', async (_, key) => {
    expect((await upload(account, intent, png(), { key })).status).toBe(200)
  })
})

describe('the media type', () => {
  test.each([
    ['none', {}],
    ['an image', { 'content-type': 'image/png' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['another multipart', { 'content-type': 'multipart/mixed; boundary=paysim-probe-boundary' }],
  ])('%s: 415', async (_, headers) => {
    const raw = multipart([imageFile(png())]).raw
    const answer = await account.call('POST', path(), {
      raw,
      headers: { ...headers, 'idempotency-key': freshKey() },
    })
    expectError(answer, 415, 'unsupported_media_type')
    await expectNothingAttached()
  })

  test('no content type and no body: 415', async () => {
    expectError(await account.call('POST', path()), 415, 'unsupported_media_type')
  })
})

describe('a malformed multipart body is refused', () => {
  const whole = multipart([imageFile(png())]).raw
  const type = 'multipart/form-data; boundary=paysim-probe-boundary'

  test.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['no boundary in the header', whole, 'multipart/form-data'],
    ['an empty boundary', whole, 'multipart/form-data; boundary='],
    ['another boundary than the body has', whole, 'multipart/form-data; boundary=another'],
    ['nothing', new Uint8Array(), type],
    ['text', new Uint8Array(Buffer.from('no parts here')), type],
    ['JSON', new Uint8Array(Buffer.from('{"asset_id":"ast_none"}')), type],
    ['an end inside the image', whole.slice(0, -40), type],
    ['an end inside the header of a part', whole.slice(0, 50), type],
    ['no closing boundary', whole.slice(0, -4), type],
  ])('%s', async (_, raw, contentType) => {
    const answer = await account.call('POST', path(), {
      raw,
      headers: { 'content-type': contentType, 'idempotency-key': freshKey() },
    })
    expectError(answer, 400, 'validation_failed')
    await expectNothingAttached()
  })
})

describe('a body above 8 MiB', () => {
  test.each([8 * 1024 * 1024, 9 * 1024 * 1024])('with a file of %i bytes: 413', async size => {
    expectError(await upload(account, intent, padded(png(), size)), 413, 'payload_too_large')
    await expectNothingAttached()
  })

  test('made of many small fields: 413', async () => {
    const fields = Array.from({ length: 90 }, (_, index) => ({
      name: `f${index}`,
      content: 'x'.repeat(100 * 1024),
    }))
    const answer = await uploadParts(account, intent, [...fields, imageFile(png())])
    expectError(answer, 413, 'payload_too_large')
    await expectNothingAttached()
  })
})
