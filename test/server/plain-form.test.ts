import { createHash } from 'node:crypto'
import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PlainForm } from '../../src/server/plain-form.ts'

const MOST_BYTES = 200
const TYPE = 'multipart/form-data; boundary=b-1'
const HEAD = '--b-1\r\nContent-Disposition: form-data; name="file"; filename="slip.jpg"\r\n'
const PLAIN = `${HEAD}Content-Type: image/jpeg\r\n\r\nthe image\r\n--b-1--\r\n`

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function readPlain(type: string, pieces: readonly Buffer[]) {
  const form = new PlainForm(type, MOST_BYTES)
  pieces.forEach(form.take)
  const file = form.end()
  return file && { bytes: Buffer.concat(file.pieces.all).toString('latin1'), digest: file.digest }
}

/** The only part of a form, as Busboy reads it; undefined if it is not the file, or there are others. */
function readByBusboy(type: string, body: Buffer) {
  return new Promise<Buffer | undefined>(resolve => {
    const parts: (Buffer | undefined)[] = []
    const parser = new Busboy({ headers: { 'content-type': type } })
    parser.on('field', () => parts.push(undefined))
    parser.on('file', (name, stream) => {
      const pieces: Buffer[] = []
      stream.on('data', piece => pieces.push(piece))
      stream.on('end', () => parts.push(name === 'file' ? Buffer.concat(pieces) : undefined))
    })
    parser.on('error', () => resolve(undefined))
    parser.on('finish', () => resolve(parts.length === 1 ? parts[0] : undefined))
    parser.end(body)
  })
}

/** Cuts a form at some places after the head of its first part. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const start = bytes.indexOf('\r\n\r\n') + 4
  const cuts = places.map(place => start + (place % (bytes.length - start + 1)))
  const ends = [...cuts, bytes.length].sort((a, b) => a - b)
  return ends.map((end, nth) => bytes.subarray(ends[nth - 1] ?? 0, end))
}

const content = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[ -~]{0,30}$/),
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '-',
        '--',
        '\r\n-',
        '\r\n--',
        '\r\n--b',
        '\r\n--b-',
        '--b-1',
        '\0\xff',
      ),
      fc.constantFrom('\r\n--b-1', '\r\n--b-1--', '\r\n--b-1\r\n', '\r\n--b-2', '\r\n--b-1--\r\n'),
    ),
    { maxLength: 6 },
  )
  .map(parts => parts.join(''))
const start = fc.constantFrom(
  `${HEAD}Content-Type: image/jpeg\r\n\r\n`,
  `${HEAD}Content-Type: image/png\r\n\r\n`,
  `${HEAD}\r\n`,
  `${HEAD.toLowerCase()}\r\n`,
  `${HEAD.replace('"file"', '"other"')}\r\n`,
  `${HEAD.replace('; filename="slip.jpg"', '')}\r\n`,
  `${HEAD.replace('b-1', 'b-2')}\r\n`,
  `preamble\r\n${HEAD}\r\n`,
  `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n`,
)
const end = fc.constantFrom(
  '\r\n--b-1--\r\n',
  '\r\n--b-1--\r\n',
  '\r\n--b-1--',
  '\r\n--b-1',
  '\r\n--b-1--\r\nepilogue',
  '',
)

test('what is read as a plain form is what a parser with all rules reads, however it is cut', async () => {
  let plain = 0
  const form = fc.tuple(start, content, end).map(parts => Buffer.from(parts.join(''), 'latin1'))
  await fc.assert(
    fc.asyncProperty(form, fc.array(fc.nat(), { maxLength: 5 }), async (body, places) => {
      const file = readPlain(TYPE, cut(body, places))
      if (!file) return
      plain++
      const expected = await readByBusboy(TYPE, body)
      expect(file).toEqual({ bytes: expected?.toString('latin1'), digest: expected && digestOf(expected) })
    }),
    { numRuns: 3000 },
  )
  expect(plain).toBeGreaterThan(50)
})

test('a plain form is read, wherever it is cut after its head', () => {
  const body = Buffer.from(PLAIN)
  const headEnd = PLAIN.indexOf('\r\n\r\n') + 4
  const expected = { bytes: 'the image', digest: digestOf(Buffer.from('the image')) }
  for (let first = headEnd; first <= body.length; first++)
    for (let second = first; second <= body.length; second++)
      expect(readPlain(TYPE, cut(body, [first - headEnd, second - headEnd]))).toEqual(expected)
})

test.each([
  'multipart/form-data; boundary=b-1',
  'multipart/form-data;boundary="b-1"',
  'Multipart/Form-Data; Boundary=b-1',
])('a plain form may have the type %s', type => {
  expect(readPlain(type, [Buffer.from(PLAIN)])?.bytes).toBe('the image')
})

describe('a form is not plain', () => {
  const isPlain = (text: string, type = TYPE) => readPlain(type, [Buffer.from(text)]) !== undefined

  test('whose boundary has other characters, or is not the last parameter', () => {
    expect(isPlain(PLAIN.replaceAll('b-1', 'b+1'), 'multipart/form-data; boundary=b+1')).toBe(false)
    expect(isPlain(PLAIN, `${TYPE}; charset=utf-8`)).toBe(false)
  })

  test('that has two parts', () => {
    expect(isPlain(PLAIN.replace('--b-1--\r\n', PLAIN))).toBe(false)
  })

  test('whose file is larger than a file may be', () => {
    expect(isPlain(PLAIN.replace('the image', '.'.repeat(MOST_BYTES)))).toBe(true)
    expect(isPlain(PLAIN.replace('the image', '.'.repeat(MOST_BYTES + 1)))).toBe(false)
  })

  test('that ends too early', () => {
    for (let length = 0; length < PLAIN.length - 2; length++)
      expect(isPlain(PLAIN.slice(0, length))).toBe(false)
  })

  test('that comes in many tiny pieces', () => {
    const pieces = Array.from(PLAIN, letter => Buffer.from(letter))
    expect(readPlain(TYPE, pieces)).toBeUndefined()
  })
})
