import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redact, urlWithoutSecrets, withoutSecrets } from '../../src/contract/redact.ts'

const SIG = 'Zq9-Working_Signature'
const KEY = 'sk_test_Zq9Working'

test.each([
  [`/checkout/pi_1?%73ignature=${SIG}`, '/checkout/pi_1?%73ignature=…'],
  [`/sign-in?co%64e=${SIG}`, '/sign-in?co%64e=…'],
  [`/checkout/pi_1?Signature=${SIG}`, '/checkout/pi_1?Signature=…'],
  [`/sign-in?a=b;code=${SIG};rest`, '/sign-in?a=b;code=…'],
  [`/sign-in;code=${SIG}`, '/sign-in;code=…'],
  [`/x?access_token=${SIG}&limit=5`, '/x?access_token=…&limit=5'],
  [`/x?signature%3D${SIG}`, '/x?…'],
  [`/checkout/pi_1%3Fsignature=${SIG}`, '/checkout/pi_1%3Fsignature=…'],
  [`/x?%2573ignature=${SIG}`, '/x?%2573ignature=…'],
  [`/x?limit=5&signature=${SIG}&bad=%zz`, '/x?…'],
  [`/payment_intents/${KEY}`, '/payment_intents/sk_test_…'],
  ['/payment_intents/sk%5Ftest_Zq9', '/payment_intents/…'],
  ['/payment_intents/%ff', '/payment_intents/…'],
  [`/x?${KEY}=1&key=${KEY}`, '/x?sk_test_…&key=sk_test_…'],
  ['/payouts?status=failed&currency_code=THB', '/payouts?status=failed&currency_code=…'],
  ['/payouts?merchant_reference=100%25&q=%E0%B8%81', '/payouts?merchant_reference=100%25&q=%E0%B8%81'],
  ['/payment_intents/pi_1', '/payment_intents/pi_1'],
])('the address %s is logged as %s', (url, logged) => {
  expect(urlWithoutSecrets(url)).toBe(logged)
})

test.each([
  [`{"url":"/qr?%73ignature=${SIG}"}`, '{"url":"/qr?%73ignature=…"}'],
  [`{"note":"line\\n${KEY}"}`, '{"note":"line\\nsk_test_…"}'],
  [`{"note":"line\\nsk%5Ftest_Zq9"}`, '{"note":"line\\n…"}'],
  [`signature=${SIG}&act=pay`, 'signature=…&act=pay'],
  ['{"body":"{\\"secret\\":\\"Zq9\\"}"}', '{"body":"{\\"secret\\":\\"…\\"}"}'],
  ['{"note":"100% of it, 5%zz"}', '{"note":"100% of it, 5%zz"}'],
])('the line %s is logged as %s', (line, logged) => {
  expect(withoutSecrets(line)).toBe(logged)
})

test('a name with escapes in JSON that was cut is read', () => {
  expect(redact(`{"\\u0073ecret":"${SIG}", "cut`)).toBe('{"secret":"…", "cut')
})

const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
const written = {
  asItIs: (letter: string) => letter,
  encoded: hex,
  inCapitals: (letter: string) => hex(letter).toUpperCase(),
  twice: (letter: string) => hex(letter).replace('%', '%25'),
  otherCase: (letter: string) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
}
const way = (...ways: (keyof typeof written)[]) => fc.constantFrom(...ways)

/** A text whose letters are each written in some way. */
const spelt = (text: string, ...ways: (keyof typeof written)[]) =>
  fc
    .array(way(...ways), { minLength: text.length, maxLength: text.length })
    .map(each => [...text].map((letter, at) => written[each[at] ?? 'asItIs'](letter)).join(''))

const name = fc
  .constantFrom('signature', 'code', 'token', 'access_token', 'secret_key')
  .chain(text => spelt(text, 'asItIs', 'asItIs', 'encoded', 'inCapitals', 'twice', 'otherCase'))
const secret = fc.stringMatching(/^[a-zA-Z0-9_-]{12,30}$/).filter(text => !/\w*(?:sk|whsec)_/.test(text))
const other = fc.constantFrom('', 'limit=5', 'q=%E0%B8%81', 'bad=%zz', 'x=100%25', 'a', '=', '#top')
const separator = fc.constantFrom('&', ';', '&&', '?')

/** Also what remains readable after decoding counts as shown. */
function expectHidden(shown: string, hidden: string): void {
  let plain = shown
  for (let round = 0; round < 4; round++)
    plain = plain.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  expect(plain).not.toContain(hidden)
}

test('however its name and value are encoded, a secret parameter is hidden, and the line stays whole', () => {
  const parameter = fc.tuple(
    name,
    secret.chain(text => fc.tuple(fc.constant(text), spelt(text, 'asItIs', 'encoded', 'twice'))),
    fc.constantFrom('=', '=', '%3D', '%253d'),
  )
  fc.assert(
    fc.property(parameter, other, separator, other, ([named, [hidden, value], equals], first, by, last) => {
      const url = `/checkout/pi_1?${first}${by}${named}${equals}${value}&${last}`
      expectHidden(urlWithoutSecrets(url), hidden)
      const line = withoutSecrets(JSON.stringify({ url, note: 'said "so"\n' }))
      expectHidden(line, hidden)
      expect(JSON.parse(line).note).toBe('said "so"\n')
    }),
  )
})

test('however it is encoded, a key is hidden in a path, a query, a name, and a text', () => {
  const key = fc
    .tuple(fc.constantFrom('sk_test_', 'sk_live_', 'whsec_'), fc.stringMatching(/^[a-zA-Z0-9]{12,30}$/))
    .chain(([prefix, text]) =>
      fc.tuple(fc.constant(prefix + text), spelt(prefix + text, 'asItIs', 'encoded', 'inCapitals', 'twice')),
    )
  const place = fc.constantFrom<(text: string) => string>(
    text => `/payment_intents/${text}`,
    text => `/payment_intents/x${text}/cancel?q=1`,
    text => `/payouts?q=${text}`,
    text => `/payouts?q=1;${text}=2`,
    text => `/payouts?${text}`,
  )
  fc.assert(
    fc.property(key, place, ([hidden, text], put) => {
      expectHidden(urlWithoutSecrets(put(text)), hidden)
      const line = withoutSecrets(JSON.stringify({ ignored: [`\n${text}`], path: put(text) }))
      expectHidden(line, hidden)
      expect(JSON.parse(line)).toHaveProperty('ignored')
    }),
  )
})
