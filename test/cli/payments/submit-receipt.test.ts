import { beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../../support/cli/shop.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import type { Server } from '../../support/gateway/server.ts'
import { workerServer } from '../../support/gateway/worker-server.ts'
import { jpeg, MOST_BYTES, NOT_IMAGES, padded, png } from '../../support/payments/receipt-images.ts'

const place = useWorkplace()
let server: Server
let shop: Shop
beforeAll(async () => {
  server = await workerServer()
  const where = { place: place(), server, url: server.url, createPath: '/payment_intents', flags: [] }
  shop = openShop(where, await server.merchant({ clock: { mode: 'virtual' } }))
})
/** A bank transfer that waits for its receipt. */
async function transfer(): Promise<string> {
  const { id } = await shop.pay('th_bank_transfer', { payment_method_options: { bank: 'bbl' } })
  return id
}
const submit = (id: string, args: readonly string[], input?: Uint8Array) =>
  shop.paysim(`payments submit-receipt ${id}`, args, input === undefined ? {} : { input })
const submissions = async (id: string) =>
  (await shop.requests()).filter(request => request === `POST /payment_intents/${id}/receipt`)

test.each([
  ['a PNG', png(1)],
  ['a JPEG of the largest size there is', padded(jpeg(), MOST_BYTES)],
])('submit-receipt sends %s from disk', async (_, image) => {
  const id = await transfer()
  const { code, stdout, stderr } = await submit(id, [
    '--file',
    await place().write('slip', image),
    '-o',
    'json',
  ])
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id, receipt: { status: 'processing' } })
  // Nobody watches: a bar would be noise in somebody's log.
  expect(stderr).toMatch(/^idempotency key [\da-f-]{36}\n$/)
})

test('submit-receipt reads an image from stdin', async () => {
  const id = await transfer()
  expect(await submit(id, ['--file', '-', '--query', 'receipt.status'], png(2))).toMatchObject({
    code: 0,
    stdout: 'processing\n',
  })
})

test.each([
  ['PNG', png(3).subarray(0, -1)],
  ['JPEG', jpeg().subarray(0, -2)],
  ['JPEG whose preview is whole', Buffer.concat([jpeg(), jpeg().subarray(0, -2)])],
])('submit-receipt warns about a %s that has no end, and sends it', async (_, image) => {
  const id = await transfer()
  const file = await place().write('half', image)
  const { code, stdout, stderr } = await submit(id, ['--file', file, '--query', 'receipt.status'])
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'processing\n' })
  expect(stderr).toMatch(/^! .*half has no end, so a part of the image is missing/)
})

test('submit-receipt refuses an invalid image with the reason, and sends nothing', async () => {
  const id = await transfer()
  const cases: [name: string, image: Buffer, reason: string][] = [
    ...NOT_IMAGES.map(([name, image]): [string, Buffer, string] => [
      name,
      image,
      image.length ? 'JPEG' : 'empty',
    ]),
    ['one byte too much', padded(png(), MOST_BYTES + 1), 'at most 5242880'],
  ]
  for (const [name, image, reason] of cases) {
    const { code, stdout, stderr } = await submit(id, ['--file', await place().write('slip', image)])
    expect({ code, stdout }, name).toEqual({ code: 2, stdout: '' })
    expect(stderr, name).toContain(reason)
    expect(stderr, name).not.toContain('idempotency key')
  }
  expect(await submit(id, ['--file', '-'], padded(png(), MOST_BYTES + 1))).toMatchObject({
    code: 2,
    stdout: '',
  })
  expect((await submit(id, ['--file', 'no-such.png'])).stderr).toContain('no such file')
  expect(await submissions(id)).toEqual([])
})

test('submit-receipt repeats a lost call with the same key, and submits nothing twice', async () => {
  const id = await transfer()
  const fault = { on: 'POST /payment_intents/:id/receipt', times: 1, type: 'reset', when: 'after_commit' }
  await shop.control('PUT', '/faults', { body: { faults: [fault] } })
  const slip = await place().write('slip.png', png(3))
  const { code, stderr } = await submit(id, ['--file', slip])
  expect(code, stderr).toBe(0)
  expect(await submissions(id)).toHaveLength(2)
  const { body } = await shop.control('GET', '/provider-calls')
  const calls = body.data.filter(
    (one: { call: string; payment: string }) => one.call === 'submit_receipt' && one.payment === id,
  )
  expect(calls).toHaveLength(1)

  // Whoever gave up in between goes on with the key that was told; another image may not pose as that one.
  const key = /idempotency key (\S+)/.exec(stderr)?.[1] ?? ''
  expect(await submit(id, ['--file', slip, '--idempotency-key', key])).toMatchObject({ code: 0, stderr: '' })
  const other = await place().write('other.png', png(4))
  expect(await submit(id, ['--file', other, '--idempotency-key', key])).toMatchObject({ code: 5, stdout: '' })
})

test('submit-receipt accepts an asset, which needs no key', async () => {
  const id = await transfer()
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(png(5))], { type: 'image/png' }), 'slip.png')
  const { body: asset } = await shop.control('POST', '/assets', { raw: form })
  const submitted = await submit(id, ['--asset', asset.id, '--query', 'receipt.status'])
  expect(submitted).toMatchObject({ code: 0, stdout: 'processing\n', stderr: '' })
  expect(await submit(id, ['--asset', asset.id])).toMatchObject({ code: 0 })
})

test('a receipt is one image, given once', async () => {
  const bare = await submit('pi_1', [])
  expect(bare).toMatchObject({ code: 2, stdout: '' })
  expect(bare.stderr).toContain('--file or --asset')
  expect(await submit('pi_1', ['--file', 'a.png', '--asset', 'ast_1'])).toMatchObject({ code: 2 })
  const keyed = await submit('pi_1', ['--asset', 'ast_1', '--idempotency-key', 'k'])
  expect(keyed).toMatchObject({ code: 2 })
  expect(keyed.stderr).toContain('--asset')
  expect(await submit('pi_1', ['--file', '-', '--key-file', '-'])).toMatchObject({ code: 2 })
})

test('a dry run shows the upload as a curl command, and sends nothing', async () => {
  const slip = await place().write('slip.png', png())
  const { code, stdout } = await submit('pi_1', ['--file', slip, '--dry-run', '--idempotency-key', 'k'])
  expect(code).toBe(0)
  expect(stdout).toContain(`-F 'file=@${slip};type=image/png'`)
  expect(stdout).toContain('idempotency-key: k')
})
