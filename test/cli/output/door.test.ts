import { Chalk } from 'chalk'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLEAR_LINE, cleaned, hideKeys, openDoor, ownPaint } from '../../../src/cli/output/door.ts'

const paint = ownPaint(new Chalk({ level: 1 }))
const KEYS = { publicKey: 'pk_test_alice', secretKey: 'sk_test_s/e+cret=1' }

/** What steers a terminal: the clipboard, titles, colours, C1, directions, and line breaks that only Unicode has. */
const HOSTILE = [
  '\x1b]52;c;cm0gLXJm\x07',
  '\x1b]0;title\x07',
  '\x1b[2J',
  '\x1b[31m',
  '\x9b1A',
  '\x90q\x9c',
  '\u202e',
  '\u2066',
  '\u2028',
  '\r',
  '\x00',
  '\x7f',
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const STEERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/

describe('the door to the screen', () => {
  const written: (string | Uint8Array)[] = []
  const { stderr } = process
  const write = stderr.write
  beforeEach(() => {
    written.length = 0
    stderr.write = ((text: string | Uint8Array) => written.push(text) > 0) as typeof stderr.write
    openDoor()
  })
  afterEach(() => {
    stderr.write = write
    delete (process.stdout as Partial<typeof process.stdout>).write
  })

  it('lets nothing through that steers a terminal, wherever it stands', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }))), parts => {
        expect(cleaned(parts.join(''))).not.toMatch(STEERS)
      }),
    )
  })

  it('lets our own styles through, and only them, however they are nested', () => {
    const text = paint.red(`a ${paint.bold('\x1b[2Jb\x9b')} \x1b[32mc`)
    expect(cleaned(text)).toBe('\x1b[31ma \x1b[1m\\u001b[2Jb\\u009b\x1b[22m \\u001b[32mc\x1b[39m')
    expect(cleaned(`${CLEAR_LINE}3 payments`)).toBe('\r\x1b[K3 payments')
    expect(cleaned('\r\x1b[K3 payments')).not.toMatch(STEERS)
  })

  it('is passed by what is written as text and as bytes, also when a character is divided', () => {
    stderr.write('\x1b[2Jเ\n')
    const bytes = Buffer.from('เ\x9b')
    for (const byte of bytes) stderr.write(Uint8Array.of(byte))
    expect(written.join('')).toBe('\\u001b[2Jเ\nเ\\u009b')
  })

  it('shows a secret key in none of its forms', () => {
    hideKeys(KEYS)
    const basic = Buffer.from(`${KEYS.publicKey}:${KEYS.secretKey}`).toString('base64')
    const forms = [KEYS.secretKey, basic, basic.replace(/=+$/, '')]
    for (const form of [...forms, ...forms.map(encodeURIComponent)]) stderr.write(`x-echo: ${form}!\n`)
    expect(written.join('')).toBe('x-echo: ***!\n'.repeat(6))
  })

  it('is open only once', () => {
    openDoor()
    stderr.write('\x1b')
    expect(written).toEqual(['\\u001b'])
  })
})
