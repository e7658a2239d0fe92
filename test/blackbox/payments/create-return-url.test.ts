import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectInvalid } from '../../support/http/answers.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const create = (body: unknown) => account.call('POST', '/payment_intents', { body })
const urlOf = (length: number) => 'https://shop.example/'.padEnd(length, 'x')

describe('return_url', () => {
  test.each([
    ['https', 'https://shop.example/done'],
    ['http, with a port', 'http://localhost:3000/done'],
    ['a host alone', 'https://shop.example'],
    ['query and fragment', 'https://shop.example/done?order=1&x=%20#top'],
    ['a scheme in capitals', 'HTTPS://shop.example/'],
    ['an IPv6 host', 'http://[::1]:8080/'],
    ['2048 characters', urlOf(2048)],
  ])('%s is accepted', async (_, return_url) => {
    const made = await create(hosted({ return_url }))
    expect(made.status, made.text).toBe(201)
  })

  test.each([
    ['2049 characters', urlOf(2049)],
    ['nothing', ''],
    ['a relative path', '/done'],
    ['a host without a scheme', 'shop.example/done'],
    ['a scheme-relative address', '//shop.example/done'],
    ['javascript:', 'javascript:alert(1)'],
    ['javascript: in disguise', 'JaVaScRiPt://shop.example/%0aalert(1)'],
    ['data:', 'data:text/html,<script>alert(1)</script>'],
    ['file:', 'file:///etc/passwd'],
    ['ftp:', 'ftp://shop.example/'],
    ['mailto:', 'mailto:a@shop.example'],
    ['an application', 'myshop://done'],
    ['no host', 'https://'],
    ['a number', 5],
    ['null', null],
    ['a list', ['https://shop.example/']],
    ['an object', { href: 'https://shop.example/' }],
  ])('%s is refused', async (_, return_url) => {
    expectInvalid(await create(hosted({ return_url })), 'return_url')
  })

  test('is refused in merchant mode', async () => {
    const return_url = 'https://shop.example/done'
    expectInvalid(await create(paying('probe_transfer', { return_url })), 'return_url')
  })

  test('is linked unchanged by the hosted page of an ended payment', async () => {
    const return_url = 'HTTPS://Shop.Example:443/a/../done?q=%7e&b=é#x'
    const made = await account.payHosted({ payment_method: 'probe_redirect', return_url })
    await account.trigger(made.id, 'succeed')
    const page = await (await fetch(made.next_action.url)).text()
    const links = [...page.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => unescaped(href))
    expect(links).toContain(return_url)
  })
})

function unescaped(html: string): string {
  return html
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
