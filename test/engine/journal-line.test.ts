import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Entry, recordsOf } from '../../src/domain/events.ts'
import { NewerJournalError, openLine, sealLine, writeLine } from '../../src/engine/journal/journal-format.ts'
import { entryNumber } from '../support/engine/entries.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('ร้าน', '😀', '\ud800', '\u2028', '"crc":"00000000"}'),
)
const entries = fc
  .record({ seq: fc.integer({ min: 1 }), by: texts, asset: texts })
  .map(({ seq, by, asset }): Entry => ({ ...entryNumber(seq, asset), by }))
const withoutFeed = (line: string) => line.slice(0, -1)

describe('a journal line', () => {
  test('reads back as its entry', () => {
    fc.assert(
      fc.property(entries, entry => {
        const line = writeLine(entry)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(openLine<Entry>(withoutFeed(line), entry.seq)).toEqual(entry)
      }),
    )
  })

  test('survives the disk: its bytes read back as its text', () => {
    fc.assert(
      fc.property(entries, entry => {
        const bytes = Buffer.from(writeLine(entry))
        expect(openLine<Entry>(withoutFeed(bytes.toString()), entry.seq)).toEqual(entry)
      }),
    )
  })

  test('reveals any flipped bit, and any byte that is changed, lost or added', () => {
    const line = Buffer.from(withoutFeed(writeLine({ ...entryNumber(7), by: 'ร้าน 😀' })))
    const unseen: string[] = []
    const damaged = (bytes: Buffer, what: string) => {
      try {
        openLine<Entry>(bytes.toString(), 7)
        unseen.push(what)
      } catch (cause) {
        if (!/checksum|does not end/.test(String(cause))) unseen.push(`${what}: ${cause}`)
      }
    }
    for (const at of line.keys()) {
      for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        const flipped = Buffer.from(line)
        flipped[at] = (line[at] ?? 0) ^ mask
        damaged(flipped, `byte ${at} ^ ${mask}`)
      }
      const [before, after] = [line.subarray(0, at), line.subarray(at + 1)]
      damaged(Buffer.concat([before, after]), `byte ${at} lost`)
      damaged(Buffer.concat([before, Buffer.from('x'), line.subarray(at)]), `a byte added before ${at}`)
    }
    damaged(Buffer.concat([line, Buffer.from(' ')]), 'a byte added at the end')
    expect(unseen).toEqual([])
  })

  test.each([
    ['nothing', '', 'does not end like a journal line'],
    [
      'another version',
      withoutFeed(writeLine({ ...entryNumber(7), v: 2 } as unknown as Entry)),
      'its version is 2',
    ],
    ['another number', withoutFeed(writeLine(entryNumber(8))), 'its number is 8, but 7 was expected'],
    ['two lines in one', withoutFeed(writeLine(entryNumber(7))).repeat(2), 'checksum'],
  ])('%s is refused', (_, line, why) => {
    expect(() => openLine<Entry>(line, 7)).toThrow(why)
  })
})

describe('a line of another version', () => {
  const old = (v: unknown) => withoutFeed(sealLine(JSON.stringify({ v, seq: 7, who: 'merchant' })))
  test('is refused if a newer paysim wrote it', () => {
    expect(() => openLine(old(2), 7)).toThrow(NewerJournalError)
    expect(() => openLine(old(2), 7)).toThrow(
      'its version is 2, and this paysim reads journals up to version 1',
    )
  })

  test.each([0, 0.5, 'one', null, undefined])('is refused if no paysim wrote it: %j', v => {
    expect(() => openLine(old(v), 7)).toThrow('which no version of paysim writes')
  })
})

test('an event names every record that it concerns', () => {
  const events: Entry['events'] = [
    { type: 'PaymentSucceeded', payment: 'pi_1' },
    { type: 'EventEmitted', event: 'evt_1', name: 'payout.failed', subject: { payout: 'po_1' } },
    { type: 'DeliveryQueued', delivery: 'dlv_1', event: 'evt_1', endpoint: 'we_1', dueAt: 1 },
    { type: 'ReceiptSubmitted', payment: 'pi_2', digest: 'd', asset: 'ast_1' },
    { type: 'ReceiptSubmitted', payment: 'pi_2', digest: 'd', asset: null },
  ]
  expect([...new Set(events.flatMap(recordsOf))].sort()).toEqual(
    ['ast_1', 'dlv_1', 'evt_1', 'pi_1', 'pi_2', 'po_1', 'we_1'].sort(),
  )
})
