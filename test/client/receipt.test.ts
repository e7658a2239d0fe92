import { createReadStream } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Progress, ReceiptError } from '../../src/client/index.ts'
import { clientFor, PAYMENT, refusal } from '../support/client/client.ts'
import { json, type Seen, serve } from '../support/client/server.ts'

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
const MOST = 5 * 1024 * 1024
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const image = (size: number, start = PNG_START) =>
  Buffer.concat([start, Buffer.alloc(size - start.length, 7)])

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'paysim-receipt-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, bytes)
  return path
}

/** The one part of a form: its headers, and what is in it. */
function part({ headers, body }: Seen) {
  const boundary = /^multipart\/form-data; ?boundary="?([^"]+)"?$/.exec(headers['content-type'] ?? '')?.[1]
  expect(boundary, headers['content-type']).toBeDefined()
  const [, inside = '', rest] = body.toString('latin1').split(`--${boundary}`)
  expect(rest).toBe('--\r\n')
  const at = inside.indexOf('\r\n\r\n')
  return { boundary, head: inside.slice(2, at), bytes: Buffer.from(inside.slice(at + 4, -2), 'latin1') }
}

describe('a receipt', () => {
  test('is sent from disk as the form that the server expects', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const bytes = image(200_000, JPEG_START)
    const path = await file('slip.jpeg', bytes)
    const call = clientFor(server.url).payments.submitReceipt('pi_1', { file: path })
    expect(await call).toEqual(PAYMENT)
    const [seen] = server.seen as [Seen]
    expect(seen).toMatchObject({ method: 'POST', url: '/payment_intents/pi_1/receipt' })
    expect(seen.headers['content-length']).toBe(String(seen.body.length))
    expect(part(seen).head).toContain('Content-Disposition: form-data; name="file"; filename="slip.jpeg"')
    expect(part(seen).head).toContain('Content-Type: image/jpeg')
    expect(part(seen).bytes.equals(bytes)).toBe(true)
    expect(seen.headers['idempotency-key']).toBe(call.idempotencyKey)
    expect(call.idempotencyKey).toMatch(UUID)
  })

  test('is sent again completely, with the same key and another boundary', async () => {
    const server = await serve((response, _, count) =>
      count < 3 ? response.socket?.destroy() : json(response, PAYMENT),
    )
    const path = await file('again.png', image(100_000))
    await clientFor(server.url).payments.submitReceipt('pi_1', { file: path, idempotencyKey: 'mine' })
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine'])
    expect(new Set(server.seen.map(seen => part(seen).boundary)).size).toBe(3)
    for (const seen of server.seen) expect(part(seen).bytes.equals(image(100_000))).toBe(true)
  })

  test('may be answered before it is completely sent', async () => {
    const server = await serve(response => json(response, { code: 'unauthorized' }, 401))
    const call = clientFor(server.url).payments.submitReceipt('pi_1', { file: image(MOST) })
    await expect(call).rejects.toMatchObject({ status: 401 })
  })
})

test.each([
  ['bytes', (bytes: Buffer) => new Uint8Array(bytes)],
  ['a view into more bytes', (bytes: Buffer) => Buffer.concat([Buffer.alloc(9), bytes]).subarray(9)],
  ['a stream', (bytes: Buffer) => Readable.from([bytes.subarray(0, 3), bytes.subarray(3)])],
])('a receipt may be %s, and can still be repeated', async (_, give) => {
  const server = await serve((response, _, count) =>
    count < 2 ? response.socket?.destroy() : json(response, PAYMENT),
  )
  const bytes = image(5000)
  await clientFor(server.url).payments.submitReceipt('pi_1', { file: give(bytes) })
  expect(server.seen.map(seen => part(seen).bytes.equals(bytes))).toEqual([true, true])
  expect(part(server.seen[0] as Seen).head).toContain('filename="receipt.png"')
})

test('a receipt may have its own name and type', async () => {
  const server = await serve(response => json(response, PAYMENT))
  const receipt = { file: image(100), filename: 'ใบเสร็จ.png', contentType: 'application/octet-stream' }
  await clientFor(server.url).payments.submitReceipt('pi_1', receipt)
  const { head } = part(server.seen[0] as Seen)
  expect(Buffer.from(head, 'latin1').toString()).toContain('filename="ใบเสร็จ.png"')
  expect(head).toContain('Content-Type: application/octet-stream')
})

test('an upload reports its progress, forwards only and to the end', async () => {
  const server = await serve(response => json(response, PAYMENT))
  const told: Progress[] = []
  await clientFor(server.url).payments.submitReceipt('pi_1', {
    file: await file('big.png', image(1_000_000)),
    onProgress: progress => told.push(progress),
  })
  const sent = told.map(({ sentBytes }) => sentBytes)
  expect(sent.length).toBeGreaterThan(3)
  expect(sent).toEqual([...sent].sort((a, b) => a - b))
  expect(told.at(-1)).toEqual({ sentBytes: told[0]?.totalBytes, totalBytes: server.seen[0]?.body.length })
})

describe('a receipt that the server would refuse is not sent', () => {
  const refused = async (given: string | Uint8Array | Readable) => {
    const client = clientFor('http://127.0.0.1:1')
    const error = await refusal(client.payments.submitReceipt('pi_1', { file: given }), ReceiptError)
    expect(client.records).toEqual([])
    return error
  }

  test.each([
    ['a file that does not exist', () => join(directory, 'nowhere.png'), 'unreadable'],
    ['a directory', () => directory, 'unreadable'],
    ['an empty file', () => file('empty.png', new Uint8Array()), 'empty'],
    ['a file one byte too large', () => file('large.png', image(MOST + 1)), 'too_large'],
    ['bytes one too many', () => image(MOST + 1), 'too_large'],
    ['a text that is called an image', () => file('text.png', Buffer.from('hello, world')), 'not_an_image'],
    ['a GIF', () => Buffer.from('GIF89a...........'), 'not_an_image'],
    ['half of a signature', () => PNG_START.subarray(0, 7), 'not_an_image'],
    ['no bytes', () => new Uint8Array(), 'empty'],
  ])('%s', async (_, make, reason) => {
    expect((await refused(await make())).reason).toBe(reason)
  })

  test('the error names the file, and its size', async () => {
    const path = await file('huge.jpg', image(MOST + 1, JPEG_START))
    expect((await refused(path)).message).toBe(
      `${path} has ${MOST + 1} bytes; a receipt may have at most ${MOST} (5 MiB)`,
    )
  })

  test('an endless stream is read only up to the limit', async () => {
    let given = 0
    const endless = Readable.from(
      (function* () {
        for (;;) {
          given += 1
          yield image(1024 * 1024)
        }
      })(),
    )
    expect((await refused(endless)).reason).toBe('too_large')
    expect(given).toBeLessThan(30)
  })

  test('a stream that breaks is reported, however early', async () => {
    const broken = new Readable({ read: () => {} })
    broken.destroy(new Error('disk on fire'))
    expect((await refused(broken)).message).toContain('disk on fire')
    expect((await refused(createReadStream(join(directory, 'nowhere.png')))).message).toContain('ENOENT')
  })
})

test('a receipt may have exactly 5 MiB', async () => {
  const server = await serve(response => json(response, PAYMENT))
  const path = await file('exact.png', image(MOST))
  await clientFor(server.url).payments.submitReceipt('pi_1', { file: path })
  expect(part(server.seen[0] as Seen).bytes.length).toBe(MOST)
})

test('a file that shrinks before it is sent causes an error, and not a hang', async () => {
  const server = await serve((response, _, count) =>
    count < 2 ? response.socket?.destroy() : json(response, PAYMENT),
  )
  const path = await file('shrinking.png', image(200_000))
  const client = clientFor(server.url, { retries: 1, sleep: () => truncate(path, 1000) })
  const error = await refusal(client.payments.submitReceipt('pi_1', { file: path }), ReceiptError)
  expect(error.message).toContain(`${path} changed while it was sent`)
  expect(server.seen).toHaveLength(1)
})
