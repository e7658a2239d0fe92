import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readArchive } from '../../src/server/control/read-archive.ts'

const CHUNK = 64 * 1024
const MIB = 1024 * 1024

/** A request with this body: what is repeated, as often as it takes to have so many bytes, between two texts. */
function requestOf(before: string, repeated: (nth: number) => string, after: string, size: number) {
  let isRead = true
  function* chunks() {
    let text = before
    let sent = 0
    // What is left after the refusal is discarded, which is no work of the server.
    for (let nth = 0; isRead && sent + text.length < size; nth++) {
      text += repeated(nth)
      if (text.length < CHUNK) continue
      yield Buffer.from(text)
      sent += text.length
      text = ''
    }
    yield Buffer.from(text + after)
  }
  const headers = { 'content-type': 'application/json' }
  const resume = () => {
    isRead = false
  }
  return Object.assign(Readable.from(chunks()), { headers, resume }) as unknown as IncomingMessage
}

const cpuMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

/** The processor time of the longest time that other work waits, because a busy machine makes all waits longer. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const before = process.cpuUsage()
    await new Promise(setImmediate)
    longest = Math.max(longest, cpuMs(process.cpuUsage(before)))
  }
  await ended
  return longest
}

/** What the largest part takes that is read in one piece. */
function reference(): number {
  const members = Array.from({ length: 100_000 }, (_, nth) => `"member ${nth}":1`)
  const text = `{${members.join()}}`
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    JSON.parse(text)
    return cpuMs(process.cpuUsage(before))
  })
  return Math.max(...times)
}

const ENTRY = '{"v":1,"seq":1,"at":0,"by":"operator","events":[]}'

describe('nonsense is refused, and makes others wait no longer than a good archive can', () => {
  const nonsense: [string, string, (nth: number) => string, string][] = [
    ['white space', '', () => ' '.repeat(1000), ''],
    ['white space in an object', '{', () => '\n\t '.repeat(300), '"a":1}'],
    ['white space in an entry', `{"entries":[{"a":`, () => ' '.repeat(1000), '1}]}'],
    ['one letter', '', () => 'a'.repeat(1000), ''],
    ['one text', '{"a":"', () => 'a'.repeat(1000), '"}'],
    ['brackets', '', () => '[[[[[[[[', ''],
    ['brackets in a member', '{"a":', () => '[[[[[[[[', '}'],
    ['pairs of brackets in a member', '{"a":', () => '[][][][]', '}'],
    ['pairs of brackets in a list', '{"entries":[', () => '[][][][]', ']}'],
    ['empty objects in one entry', '{"entries":[[{}', () => ',{},{},{}', ']]}'],
    ['numbers in one entry', '{"entries":[[1', () => ',1,1,1,1', ']]}'],
    ['many members in one entry', '{"entries":[{"a":1', nth => `,"b${nth}":1`, '}]}'],
    ['many members', '{"a":1', nth => `,"b${nth}":1`, '}'],
    ['the same member again and again', '{"a":1', () => ',"a":1', '}'],
    ['many entries that are not entries', '{"entries":[1', () => ',1', ']}'],
    ['many images that are not images', '{"images":{"a":1', nth => `,"b${nth}":1`, '}}'],
    ['the list of entries again and again', '{"entries":[]', () => ',"entries":[]', '}'],
  ]

  let most: number | undefined

  test.each(nonsense)('%s', async (_, before, repeated, after) => {
    most ??= 4 * reference()
    const request = requestOf(before, repeated, after, 30 * MIB)
    const refused = expect(readArchive(request, 'test')).rejects.toMatchObject({
      rejection: { code: 'validation_failed' },
    })
    expect(await longestTurn(refused)).toBeLessThan(most)
  })
})

test('an archive with long white space between all of its parts is read', async () => {
  const spaces = ' \n'.repeat(MIB / 4)
  const parts = [
    '{',
    '"paysim"',
    ':',
    '1',
    ',"account":"a.test"',
    ',"seed"',
    ':"s"',
    ',',
    '"entries":',
    '[',
    ENTRY,
  ]
  const request = requestOf(parts.join(spaces), () => spaces, ']}', 0)
  const error = await readArchive(request, 'test').catch(cause => cause)
  // It has everything but its images, so nothing was lost with the white space.
  expect(error.rejection.details).toEqual([{ field: 'images', message: 'is required' }])
})
