import { expect } from 'vitest'
import type { Answer, Call } from '../gateway/server.ts'

/** Collects everything that a merchant or payer can see, to search it for secrets. */
export interface LeakScan {
  /** The same caller, with its answers recorded. */
  record: (call: Call) => Call
  note: (label: string, headers: Iterable<[string, string]>, text: string) => void
  seen: () => number
  expectNothingOf: (secret: string) => void
}

export function startLeakScan(): LeakScan {
  const seen: { label: string; text: string }[] = []
  const note: LeakScan['note'] = (label, headers, text) => {
    const whole = [...headers]
      .map(header => header.join(': '))
      .concat(text)
      .join('\n')
    seen.push({ label, text: [whole, ...decodings(whole)].join('\n').toLowerCase() })
  }
  const noteAnswer = (label: string, answer: Answer) => note(label, answer.headers, answer.text)
  return {
    record: call => async (method, path, options) => {
      const answer = await call(method, path, options)
      noteAnswer(`${method} ${path}`, answer)
      return answer
    },
    note,
    seen: () => seen.length,
    expectNothingOf: secret => {
      const leaks = seen.filter(({ text }) => text.includes(secret.toLowerCase()))
      expect(leaks.map(({ label }) => label)).toEqual([])
    },
  }
}

/** Decodes percent escapes, base64 and hexadecimal. */
function decodings(text: string): string[] {
  const words = text.match(/[\w+/=-]{8,}/g) ?? []
  const decoded = words.map(word => Buffer.from(word, 'base64').toString('latin1'))
  const hexadecimal = words.filter(word => /^([0-9a-f]{2})+$/i.test(word))
  const plain = hexadecimal.map(word => Buffer.from(word, 'hex').toString('latin1'))
  const escaped = text.match(/(%[0-9a-f]{2})+/gi) ?? []
  return [...decoded, ...plain, ...escaped.map(fromEscapes)]
}

const fromEscapes = (run: string) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1')
