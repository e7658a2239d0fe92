import { describe, expect, test } from 'vitest'
import { IdSource, RequestIds } from '../../src/engine/account/ids.ts'

describe('ids made from a seed', () => {
  test('are the same for the same seed and position, and differ otherwise', () => {
    const [a, again, b] = [new IdSource('a'), new IdSource('a'), new IdSource('b')]
    expect(a.newId('pi', 3, 1)).toBe(again.newId('pi', 3, 1))
    expect(a.newSecret(3, 1)).toBe(again.newSecret(3, 1))
    expect(a.newKeyPair('test', 0)).toEqual(again.newKeyPair('test', 0))
    expect(a.sign('text')).toBe(again.sign('text'))
    expect(a.chance('x')).toBe(again.chance('x'))
    expect(a.newId('pi', 3, 1)).not.toBe(b.newId('pi', 3, 1))
    expect(a.newSecret(3, 1)).not.toBe(b.newSecret(3, 1))
    expect(a.newKeyPair('test', 0)).not.toEqual(b.newKeyPair('test', 0))
    expect(a.sign('text')).not.toBe(b.sign('text'))
  })

  test.each(['pi', 'po', 'evt', 'ast'])('%s_ and 24 characters of base62', prefix => {
    for (let seq = 1; seq < 100; seq++)
      expect(new IdSource('a').newId(prefix, seq, 0)).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{24}$`))
  })

  test('keys name their kind and their environment', () => {
    for (const environment of ['test', 'live']) {
      const { publicKey, secretKey } = new IdSource('a').newKeyPair(environment, 0)
      expect(publicKey).toMatch(new RegExp(`^pk_${environment}_[0-9A-Za-z]{24}$`))
      expect(secretKey).toMatch(new RegExp(`^sk_${environment}_[0-9A-Za-z]{32}$`))
    }
  })

  test('a webhook secret has 24 bytes', () => {
    const secret = new IdSource('a').newSecret(1, 0)
    expect(secret).toMatch(/^whsec_/)
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(24)
  })

  test('100,000 ids are all different', () => {
    const source = new IdSource('a')
    const names = new Set<string>()
    for (let seq = 1; seq <= 10_000; seq++)
      for (let nth = 0; nth < 10; nth++) names.add(source.newId(nth % 2 ? 'pi' : 'po', seq, nth).slice(3))
    expect(names.size).toBe(100_000)
  })

  test('positions with the same digits give different ids', () => {
    const source = new IdSource('a')
    expect(source.newId('pi', 1, 11)).not.toBe(source.newId('pi', 11, 1))
    expect(source.newId('pi', 11, 1)).not.toBe(source.newId('pi', 1, 1))
  })

  test('chance is spread evenly over [0, 1)', () => {
    const source = new IdSource('a')
    const drawn = Array.from({ length: 10_000 }, (_, at) => source.chance(String(at)))
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...drawn)).toBeLessThan(1)
    const tenths = Array.from(
      { length: 10 },
      (_, at) => drawn.filter(each => Math.floor(each * 10) === at).length,
    )
    for (const count of tenths) expect(count).toBeGreaterThan(850)
  })
})

describe('request ids', () => {
  test('repeat with the same seed', () => {
    const [a, again, b] = [new RequestIds('a'), new RequestIds('a'), new RequestIds('b')]
    const first = [a.next(), a.next()]
    expect([again.next(), again.next()]).toEqual(first)
    expect(first).not.toContain(b.next())
  })

  test('are req_ and 24 characters of base62, and 100,000 are all different', () => {
    const ids = new RequestIds('a')
    const made = new Set(Array.from({ length: 100_000 }, () => ids.next()))
    expect(made.size).toBe(100_000)
    for (const id of made) if (!/^req_[0-9A-Za-z]{24}$/.test(id)) expect(id).toBe('a request id')
  })
})
