import { describe, expect, test } from 'vitest'
import { IdSource } from '../../src/engine/account/ids.ts'
import { isGenuine, type PageKind, pagePath } from '../../src/engine/account/rendering.ts'

const signerOf = (seed: string, id = 'acme.test') => {
  const source = new IdSource(seed)
  return { id, sign: (text: string) => source.sign(text) }
}
const SIGNER = signerOf('a seed')

/** Opens an address as the pages do: by what stands in it. */
function opens(address: string, signer = SIGNER): boolean {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  const [, kind = '', account = '', payment = ''] = pathname.split('/')
  const expires = searchParams.get('expires')
  const expiresAt = expires !== null && /^\d{1,15}$/.test(expires) ? Number(expires) : null
  const signature = searchParams.get('signature') ?? ''
  return account === signer.id && isGenuine(signer, kind as PageKind, payment, expiresAt, signature)
}

describe.each([
  ['checkout', 1_767_225_600_000],
  ['bank', 1_767_225_600_000],
  ['qr', null],
] as const)('the address of a %s page', (kind, expiresAt) => {
  const address = pagePath(SIGNER, kind, 'pi_4fT0Zq8YbLm2WcR6KxVn1JpD', expiresAt)

  test('opens the page', () => {
    expect(opens(address)).toBe(true)
    expect(address.startsWith(`/${kind}/acme.test/pi_`)).toBe(true)
  })

  test('opens nothing when any byte is changed or lost', () => {
    for (let at = 1; at < address.length; at++) {
      const [before, after] = [address.slice(0, at), address.slice(at + 1)]
      for (const other of ['0', '7', 'x', 'A', '-', '_'].filter(each => each !== address[at]))
        expect([before + other + after, opens(before + other + after)]).toEqual([
          before + other + after,
          false,
        ])
      expect([before + after, opens(before + after)]).toEqual([before + after, false])
    }
  })

  test('opens nothing for another account', () => {
    expect(opens(address, signerOf('another seed'))).toBe(false)
  })
})

test('a signature is valid for one kind of page, one payment and one end', () => {
  const signature =
    new URL(pagePath(SIGNER, 'qr', 'pi_1', null), 'http://localhost').searchParams.get('signature') ?? ''
  expect(isGenuine(SIGNER, 'qr', 'pi_1', null, signature)).toBe(true)
  expect(isGenuine(SIGNER, 'checkout', 'pi_1', null, signature)).toBe(false)
  expect(isGenuine(SIGNER, 'qr', 'pi_2', null, signature)).toBe(false)
  expect(isGenuine(SIGNER, 'qr', 'pi_1', 0, signature)).toBe(false)
  expect(isGenuine(SIGNER, 'qr', 'pi_1', null, `${signature}=`)).toBe(false)
})
