import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectInvalid } from '../../support/http/answers.ts'
import { freshKey } from '../../support/payments/receipts.ts'
import { hosted } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

function send(raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return account.call('POST', '/payment_intents', {
    raw,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

const GOOD = JSON.stringify(hosted())
const withMember = (member: string) => `${GOOD.slice(0, -1)},${member}}`

describe('a body that is not JSON: 400', () => {
  test.each([
    ['nothing', ''],
    ['whitespace', ' \n\t'],
    ['an open brace', '{'],
    ['an end too early', GOOD.slice(0, -1)],
    ['something after the end', `${GOOD}x`],
    ['two documents', `${GOOD}${GOOD}`],
    ['single quotes', GOOD.replaceAll('"', "'")],
    ['a trailing comma', `${GOOD.slice(0, -1)},}`],
    ['a comment', `/* */${GOOD}`],
    ['a bare word', 'undefined'],
    ['NaN', '{"amount":NaN}'],
    ['a line break in a string', withMember('"x":"a\nb"')],
    ['an invalid escape', withMember('"x":"\\x41"')],
    ['a form', 'amount=15000&currency=THB'],
    ['XML', '<payment/>'],
    ['a NUL', `${GOOD}\0`],
  ])('%s', async (_, raw) => {
    expectError(await send(raw), 400, 'validation_failed')
  })

  test('bytes that are not UTF-8', async () => {
    const bytes = Buffer.from(hostedText('r\u00ff'), 'latin1')
    expectError(await send(new Uint8Array(bytes)), 400, 'validation_failed')
  })
})

describe('JSON that is not an object: 400', () => {
  test.each(['[]', '[{}]', `[${GOOD}]`, '"text"', '1', '0', 'null', 'true', 'false', '1e999'])(
    '%s',
    async raw => {
      expectError(await send(raw), 400, 'validation_failed')
    },
  )
})

describe('an unusual object', () => {
  test.each([
    ['__proto__ as a member', withMember('"__proto__":{"polluted":1}')],
    ['constructor as a member', withMember('"constructor":{"prototype":{"polluted":1}}')],
    ['prototype as a member', withMember('"prototype":{}')],
    ['__proto__ in customer', hostedText('r').replace('"name"', '"__proto__":{"name":5},"name"')],
    ['toString, valueOf and toJSON', withMember('"toString":1,"valueOf":2,"toJSON":3')],
    ['a lone surrogate in an unknown member', withMember('"x":"\\ud800"')],
    ['the same member twice', withMember('"amount":"15001"')],
    ['a number of a thousand digits', withMember(`"x":${'9'.repeat(1000)}`)],
    ['a number without end', withMember('"x":1e999999')],
    [
      'ten thousand members',
      withMember(Array.from({ length: 10_000 }, (_, at) => `"x${at}":${at}`).join(',')),
    ],
    ['a list of a million', withMember(`"x":[${'1,'.repeat(1_000_000)}1]`)],
    ['a byte order mark', `\ufeff${GOOD}`],
  ])('with %s is accepted or refused, and the gateway keeps running', async (_, raw) => {
    for (const headers of [{}, { 'idempotency-key': freshKey() }]) {
      const answer = await send(raw, headers)
      expect([201, 400], answer.text.slice(0, 300)).toContain(answer.status)
    }
    await expectAlive()
  })

  test.each(['{"__proto__":GOOD}', '{"constructor":{"prototype":GOOD}}'])('%s sets no field', async shape => {
    const answer = await send(shape.replace('GOOD', GOOD))
    expectError(answer, 400, 'validation_failed')
    expectInvalid(await send('{}'), 'amount', 'country', 'currency', 'customer', 'merchant_reference')
  })

  test.each([
    ['merchant_reference', (text: string) => hostedText(text)],
    ['customer.name', (text: string) => GOOD.replace('Somchai Jaidee', text)],
    ['return_url', (text: string) => withMember(`"return_url":"https://shop.example/${text}"`)],
    ['the name of a member', (text: string) => withMember(`"${text}":1`)],
  ])('with a lone surrogate in %s is accepted or refused', async (_, bodyOf) => {
    for (const text of ['\\ud800', 'a\\udfffb', '\\ude00\\ud83d']) {
      const answer = await send(bodyOf(text), { 'idempotency-key': freshKey() })
      expect([201, 400], answer.text).toContain(answer.status)
      if (answer.status === 201) expect((await account.read(answer.body.id)).id).toBe(answer.body.id)
    }
    await expectAlive()
  })
})

describe('nesting 100,000 levels deep is accepted or refused', () => {
  const deep = (open: string, close: string, inside = '1') =>
    open.repeat(100_000) + inside + close.repeat(100_000)

  test.each([
    ['the body', deep('[', ']')],
    ['a body of objects', deep('{"a":', '}')],
    ['an unknown member', withMember(`"x":${deep('[', ']')}`)],
    ['an unknown member of objects', withMember(`"x":${deep('{"a":', '}')}`)],
    ['customer', GOOD.replace(/"customer":\{[^}]*\}/, `"customer":{"name":${deep('[', ']')}}`)],
    ['an unknown member of customer', GOOD.replace('"customer":{', `"customer":{"x":${deep('[', ']')},`)],
    ['amount', GOOD.replace('"15000"', deep('[', ']'))],
    ['never closed', '['.repeat(100_000)],
  ])('in %s, with and without a key', async (_, raw) => {
    for (const headers of [{}, { 'idempotency-key': freshKey() }]) {
      const answer = await send(raw, headers)
      expect([201, 400], answer.text.slice(0, 300)).toContain(answer.status)
    }
    await expectAlive()
  })
})

async function expectAlive() {
  expect((await account.payHosted()).status).toBe('pending')
}

function hostedText(reference: string) {
  return GOOD.replace('"order-1"', `"${reference}"`)
}
