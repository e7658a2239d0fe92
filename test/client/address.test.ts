import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fill, join, readBaseUrl } from '../../src/client/address.ts'
import { ArgumentError } from '../../src/client/index.ts'

const segments = fc.array(fc.stringMatching(/^[a-z0-9-]{1,8}$/), { maxLength: 3 })
const slashes = fc.nat({ max: 3 }).map(count => '/'.repeat(count))
const text = fc.string({ unit: 'binary', maxLength: 30 })

describe('joining', () => {
  test.each([
    ['https://x.example/v1/', '/payment_intents', '/v1/payment_intents'],
    ['https://x.example/v1', 'payment_intents', '/v1/payment_intents'],
    ['https://x.example', '/payment_intents', '/payment_intents'],
    ['https://x.example/a/b//', '//payment_intents', '/a/b/payment_intents'],
    ['https://x.example/v1', '/a?b=c', '/v1/a?b=c'],
    ['https://x.example/v1', '//evil.example/a', '/v1/evil.example/a'],
    ['https://x.example/v1', 'https://evil.example/a', '/v1/https://evil.example/a'],
    ['https://x.example', '/a b/ก#x', '/a%20b/%E0%B8%81%23x'],
    ['https://x.example', '/a%20b', '/a%20b'],
  ])('%s and %s are %s', (base, path, joined) => {
    expect(join(readBaseUrl(base), path)).toBe(joined)
  })

  test('puts exactly one slash between any prefix and any path', () => {
    fc.assert(
      fc.property(segments, slashes, segments, slashes, (prefix, after, path, before) => {
        const base = readBaseUrl(`https://x.example${prefix.map(part => `/${part}`).join('')}${after}`)
        expect(join(base, before + path.join('/'))).toBe(`/${[...prefix, path.join('/')].join('/')}`)
      }),
    )
  })

  test('turns any path into a valid one on the same origin, below the prefix', () => {
    fc.assert(
      fc.property(text, path => {
        const joined = join(readBaseUrl('https://x.example/v1'), path)
        expect(joined).toMatch(/^\/v1\/[\x21-\x7e]*$/)
        expect(joined).not.toContain('#')
        expect(new URL(`https://x.example${joined}`).origin).toBe('https://x.example')
      }),
    )
  })

  test('adds a query, with comma-separated lists and without absent values', () => {
    const query = {
      status: ['failed', 'succeeded'],
      limit: 5,
      country: undefined,
      cursor: null,
      after: '1+2',
    }
    const base = readBaseUrl('https://x.example')
    expect(join(base, '/p', query)).toBe('/p?status=failed%2Csucceeded&limit=5&after=1%2B2')
    expect(join(base, '/p?a=b', { c: 'd' })).toBe('/p?a=b&c=d')
    expect(join(base, '/p', { c: undefined })).toBe('/p')
  })

  test('every value of a query reads back unchanged', () => {
    fc.assert(
      fc.property(text, value => {
        const url = new URL(`https://x.example${join(readBaseUrl('https://x.example'), '/p', { value })}`)
        expect(url.searchParams.get('value')).toBe(value.toWellFormed())
      }),
    )
  })
})

describe('a path parameter', () => {
  test('stays one segment, even with special characters', () => {
    fc.assert(
      fc.property(
        text.filter(id => id !== ''),
        id => {
          const path = fill('/payment_intents/:id/receipt', { id })
          const url = new URL(`https://x.example${path}`)
          expect(url.pathname.split('/').length).toBe(/^\.\.?$/.test(id) ? url.pathname.split('/').length : 4)
          expect(decodeURIComponent(path.split('/')[2] ?? '')).toBe(id.toWellFormed())
        },
      ),
    )
  })

  test('that is empty is refused', () => {
    expect(() => fill('/payment_intents/:id', { id: '' })).toThrow(ArgumentError)
  })
})

describe('a base URL', () => {
  test.each([
    '',
    'x.example',
    '/v1',
    'ftp://x.example',
    'localhost:7297',
    'https://x.example/?a=b',
    'https://x/#a',
  ])('%j is refused', text => {
    expect(() => readBaseUrl(text)).toThrow(ArgumentError)
  })

  test.each(['https://user:hunter2@x.example', 'sk_test_hunter2', 'user:hunter2@x.example'])(
    '%j is refused without repeating the secret',
    text => {
      expect(() => readBaseUrl(text)).toThrow(ArgumentError)
      expect(() => readBaseUrl(text)).not.toThrow(/hunter2/)
    },
  )
})
