import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { scratchDirectory } from '../../support/gateway/serve-process.ts'
import type { CallOptions } from '../../support/gateway/server.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'
import { exchange, statusOf } from '../../support/http/raw-socket.ts'
import { expectRefusal, invalid, unauthorized } from '../../support/http/refusals.ts'
import { createPayment } from '../../support/payments/payments.ts'

const server = fileServer({ args: ['--control-token', 'a-token-of-our-own'] })

const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'x-paysim-dashboard': '1' }

const newLink = async (from = server()): Promise<string> =>
  (await from.control('POST', '/dashboard/links')).body.url
const follow = (link: string) => fetch(link, { redirect: 'manual' })
const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
const signedIn = async (from = server()) => cookieOf(await follow(await newLink(from)))

describe('a sign-in link', () => {
  test('signs a browser in only once', async () => {
    const link = await newLink()
    const first = await follow(link)
    expect(first.status).toBe(303)
    expect(first.headers.get('location')).toBe('/_paysim/dashboard/')
    expect(first.headers.get('set-cookie')).toMatch(
      /^paysim_dashboard_\d+=[\w-]{43}; Max-Age=\d+; Path=\/_paysim; HttpOnly; SameSite=Strict$/,
    )
    const second = await follow(link)
    expect([second.status, second.headers.get('set-cookie')]).toEqual([303, null])
    expect(second.headers.get('location')).toBe('/_paysim/dashboard/?link=used')
  })

  test('never appears in the log, and a HEAD request does not use it up', async () => {
    const link = await newLink()
    expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(401)
    await server().call('GET', '/payment_intents/after-the-link')
    await expect.poll(() => JSON.stringify(server().events)).toContain('after-the-link')
    const code = new URL(link).searchParams.get('code')
    expect(JSON.stringify(server().events)).not.toContain(code)
    expect(server().stderr()).not.toContain(code)
    expect((await follow(link)).headers.get('location')).toBe('/_paysim/dashboard/')
  })

  test('is different each time and never contains the token', async () => {
    const [one, other] = [await newLink(), await newLink()]
    expect(one).not.toBe(other)
    const cookie = cookieOf(await follow(one))
    for (const text of [one, other, cookie]) expect(text).not.toContain('a-token-of-our-own')
  })

  test.each(['', '?code=', '?code=guessed', '?code=a&code=b'])('refuses to sign in with %j', async query => {
    const answer = await follow(`${server().controlUrl}/dashboard/sign-in${query}`)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([303, null])
  })

  test('is created only with the token', async () => {
    expectRefusal(await server().control('POST', '/dashboard/links', { anonymous: true }), unauthorized)
  })
})

describe('a session', () => {
  let account: Account
  let cookie: string
  beforeAll(async () => {
    account = await openAccount(server())
    cookie = await signedIn()
  })

  const asBrowser = (
    method: string,
    path: string,
    headers: Record<string, string>,
    options: CallOptions = {},
  ) => server().control(method, path, { ...options, anonymous: true, headers: { cookie, ...headers } })

  test('gives the dashboard page access to the control surface', async () => {
    const { id } = await createPayment(account)
    const read = await asBrowser('GET', `/accounts/${account.id}/payments/${id}`, {
      'sec-fetch-site': 'same-origin',
    })
    expect(read.status).toBe(200)
    const moved = await asBrowser('POST', `/accounts/${account.id}/payments/${id}/succeed`, OWN_PAGE)
    expect(moved.body.status).toBe('succeeded')
  })

  test('gives access to the event stream', async () => {
    const { signal, abort } = abortable()
    const stream = await fetch(`${server().controlUrl}/accounts/${account.id}/stream?as=changes`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      signal,
    })
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    abort()
  })

  const elsewhere: [string, Record<string, string>][] = [
    ['without the header of the page', { 'sec-fetch-site': 'same-origin' }],
    ['from another port of this machine', { ...OWN_PAGE, 'sec-fetch-site': 'same-site' }],
    ['from another site', { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }],
    ['typed into the address bar', { ...OWN_PAGE, 'sec-fetch-site': 'none' }],
    ['with another origin', { 'x-paysim-dashboard': '1', origin: 'http://127.0.0.1:1' }],
    ['with an opaque origin', { 'x-paysim-dashboard': '1', origin: 'null' }],
    ['with a wrong token beside it', { ...OWN_PAGE, authorization: 'Bearer another' }],
  ]

  test.each(elsewhere)('gives no access to a request %s', async (_, headers) => {
    const path = `/accounts/${account.id}/reset`
    const refusal = 'origin' in headers ? { ...unauthorized, status: 403 } : unauthorized
    expectRefusal(await asBrowser('POST', path, headers), refusal)
    expectRefusal(await asBrowser('DELETE', `/merchants/${account.merchant}`, headers), refusal)
    expect((await server().control('GET', `/merchants/${account.merchant}`)).status).toBe(200)
  })

  test('does not let another page on this machine read anything', async () => {
    const { status, headers } = await asBrowser('GET', '/merchants', { 'sec-fetch-site': 'same-site' })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, null])
  })

  test('answers no preflight request', async () => {
    const asked = { origin: 'http://evil.example', 'access-control-request-method': 'POST' }
    const answer = await asBrowser('OPTIONS', `/accounts/${account.id}/reset`, asked)
    expect([answer.status, answer.headers.get('access-control-allow-methods')]).toEqual([403, null])
  })

  test('is refused under a foreign Host name, as after DNS rebinding', async () => {
    const request = `GET /_paysim/merchants HTTP/1.1\r\nHost: evil.example\r\nCookie: ${cookie}\r\nSec-Fetch-Site: same-origin\r\n\r\n`
    expect(statusOf(await exchange(server().url, request))).toBe(400)
  })

  test.each(['', 'x', '; '])('accepts only its exact cookie value: %j at the end', async more => {
    const forged = more === '' ? cookie.slice(0, -1) : `${cookie}${more}`
    const answer = await asBrowser('GET', '/merchants', { cookie: forged, 'sec-fetch-site': 'same-origin' })
    expect(answer.status).toBe(more === '; ' ? 200 : 401)
  })

  test('reports whether there is a session', async () => {
    const asked = async (headers: Record<string, string>) =>
      (await server().control('GET', '/dashboard/session', { anonymous: true, headers })).body
    expect(await asked({ cookie, 'sec-fetch-site': 'same-origin' })).toEqual({ signed_in: true })
    expect(await asked({ cookie, 'sec-fetch-site': 'cross-site' })).toEqual({ signed_in: false })
    expect(await asked({})).toEqual({ signed_in: false })
  })

  test('can also start with the token', async () => {
    const enter = (token: unknown, headers: Record<string, string> = OWN_PAGE) =>
      server().control('POST', '/dashboard/session', { anonymous: true, headers, body: { token } })
    const entered = await enter('a-token-of-our-own')
    expect([entered.status, entered.headers.get('set-cookie')?.split(';')[0]]).toEqual([204, cookie])
    expectRefusal(await enter('another'), unauthorized)
    expectRefusal(await enter('a-token-of-our-own', {}), unauthorized)
    expectRefusal(await enter(7), invalid('token'))
  })

  test('can be ended only by its own page', async () => {
    expectRefusal(await asBrowser('DELETE', '/dashboard/session', {}), unauthorized)
    const ended = await asBrowser('DELETE', '/dashboard/session', OWN_PAGE)
    expect(ended.status).toBe(204)
    expect(ended.headers.get('set-cookie')).toMatch(/^paysim_dashboard_\d+=; Max-Age=0;/)
  })
})

describe('a restart', () => {
  test('keeps a session while the token stays the same, and ends it when the token changes', async () => {
    const port = String(await claimedPort())
    const first = await ownServer({ args: ['--control-token', 'token-that-stays', '--port', port] })
    const [link, cookie] = [await newLink(first), await signedIn(first)]
    await first.stop()
    const knows = async (args: string[]) => {
      const next = await ownServer({ args: [...args, '--port', port], dataDir: first.dataDir })
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const { body } = await next.control('GET', '/dashboard/session', { anonymous: true, headers })
      const old = cookieOf(await follow(link))
      await next.stop()
      return [body.signed_in, old]
    }
    expect(await knows(['--control-token', 'token-that-stays'])).toEqual([true, ''])
    expect(await knows(['--control-token', 'token-that-changes'])).toEqual([false, ''])
  })
})

describe('the page', () => {
  test.each(['/', '/default.test/payments', '/default.test/payments/pi_1?status=failed', '/no/such/page'])(
    'is public at %s and contains no account data',
    async path => {
      const page = await fetch(`${server().controlUrl}/dashboard${path}`)
      expect(page.status).toBe(200)
      const text = await page.text()
      expect(text).toContain('<div id="app">')
      expect(text).not.toMatch(/<style|style=|<script>|\son\w+=/)
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
    },
  )

  test('is at the URL in the ready line, and loads only its own files', async () => {
    const { controlUrl } = server()
    const page = await (await fetch(`${controlUrl}/dashboard/`)).text()
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
    expect(loaded.length).toBeGreaterThanOrEqual(3)
    for (const address of loaded) {
      expect(address).toMatch(/^\/_paysim\/dashboard\/assets\//)
      const file = await fetch(new URL(address, controlUrl))
      expect([address, file.status]).toEqual([address, 200])
      const etag = file.headers.get('etag') ?? ''
      const again = await fetch(new URL(address, controlUrl), { headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
  })

  test.each(['main.js.map', '..%2fmain.js', '..%2f..%2f..%2fpackage.json', 'no-such.js', 'cli.js'])(
    'has no file %s',
    async name => {
      expect((await fetch(`${server().controlUrl}/dashboard/assets/${name}`)).status).toBe(404)
    },
  )

  test('is 401 like any other path if the control surface has another port', async () => {
    const own = await ownServer({ args: ['--control-port', String(await claimedPort())] })
    expect((await fetch(`${own.controlUrl}/dashboard/`)).status).toBe(200)
    expect((await fetch(`${own.url}/_paysim/dashboard/`)).status).toBe(401)
  })
})

/** The command that shows an address to a person is found by its name, and only there. */
describe.skipIf(process.platform !== 'linux')('serve --open', () => {
  test('opens a link that works', async () => {
    const directory = await scratchDirectory()
    const opened = join(directory, 'opened')
    await writeFile(
      join(directory, 'xdg-open'),
      `#!/bin/sh\necho "$1" > ${opened}.part && exec /bin/mv ${opened}.part ${opened}\n`,
      {
        mode: 0o755,
      },
    )
    const own = await ownServer({ args: ['--open'], env: { PATH: directory, DISPLAY: ':0' } })
    await expect.poll(() => existsSync(opened)).toBe(true)
    const link = (await readFile(opened, 'utf8')).trim()
    expect(link).toMatch(`${own.controlUrl}/dashboard/sign-in?code=`)
    expect(cookieOf(await follow(link))).toMatch(/^paysim_dashboard_/)
  })

  test('serves and prints the URL if no browser can be opened', async () => {
    const own = await ownServer({ args: ['--open'], env: { PATH: await scratchDirectory() } })
    await expect.poll(() => own.stderr()).toContain('cannot open a browser')
    const [link] = /http:\S+sign-in\?code=\S+/.exec(own.stderr()) ?? ['']
    expect(cookieOf(await follow(link))).toMatch(/^paysim_dashboard_/)
    expect(await own.stop()).toBe(0)
  })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
