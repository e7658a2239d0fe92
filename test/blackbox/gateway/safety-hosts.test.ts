import { describe, expect, test } from 'vitest'
import { openAccount } from '../../support/gateway/merchant.ts'
import type { Server } from '../../support/gateway/server.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { exchange, statusOf } from '../../support/http/raw-socket.ts'
import { createPayment, hostedBody, postPayment } from '../../support/payments/payments.ts'

const server = sharedServer()

/** One GET with exactly these Host lines. */
function get(to: Server, path: string, authorization: string, hostLines: string[]): Promise<string> {
  const lines = [`GET ${path} HTTP/1.1`, ...hostLines, `Authorization: ${authorization}`, 'Connection: close']
  return exchange(to.url, `${lines.join('\r\n')}\r\n\r\n`)
}

const basic = (keys: { public_key: string; secret_key: string }) =>
  `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`

/** The same question to both surfaces, with credentials that are good. */
async function ask(to: Server, hostLines: string[]): Promise<string[]> {
  const [keys] = to.accounts
  const controlPath = new URL(to.controlUrl).pathname
  return [
    await get(to, '/payout_intents', keys ? basic(keys) : '', hostLines),
    await get(to, `${controlPath}/merchants`, `Bearer ${to.controlToken}`, hostLines),
  ]
}

const port = (of: Server) => new URL(of.url).port

describe('a Host header that names this server is answered', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])('%s', async host => {
    const answers = await ask(server(), [`Host: ${host}:${port(server())}`])
    expect(answers.map(statusOf)).toEqual([200, 200])
  })
})

const refusedHosts: [string, string[]][] = [
  ['another name', ['Host: evil.example']],
  ['another name with our port', ['Host: evil.example:PORT']],
  ['a name that begins like ours', ['Host: localhost.evil.example:PORT']],
  ['an address that begins like ours', ['Host: 127.0.0.1.evil.example:PORT']],
  ['ours as user name', ['Host: localhost@evil.example']],
  ['an open bracket', ['Host: [']],
  ['a bracket of nothing', ['Host: []:PORT']],
  ['two colons', ['Host: ::']],
  ['spaces', ['Host: local host']],
  ['a percent escape', ['Host: %6cocalhost']],
  ['a broken percent escape', ['Host: %']],
  ['a path', ['Host: localhost/evil']],
  ['a scheme', ['Host: http://localhost']],
  ['bytes beyond ASCII', ['Host: l\u00f6calhost']],
  ['ten thousand characters', [`Host: ${'a'.repeat(10_000)}`]],
  ['an invalid port', ['Host: localhost:port']],
  ['nothing', ['Host:']],
  ['no Host at all', []],
  ['two Hosts', ['Host: localhost:PORT', 'Host: evil.example']],
]

describe('any other Host header is refused on both surfaces, and the server keeps running', () => {
  test.each(refusedHosts)('%s', async (_, lines) => {
    const given = lines.map(line => line.replace('PORT', port(server())))
    for (const answer of await ask(server(), given)) {
      expect(statusOf(answer), answer).toBeGreaterThanOrEqual(400)
      expect(statusOf(answer), answer).toBeLessThan(500)
      expect(answer).not.toContain('has_more')
      expect(answer).not.toContain('secret_key')
    }
    expect((await server().control('GET', '/health')).status).toBe(200)
  })

  test('also for pages, and for health', async () => {
    const account = await openAccount(server())
    const { body } = await postPayment(account, hostedBody())
    const page = new URL(body.next_action.url)
    for (const path of [`${page.pathname}${page.search}`, '/_paysim/health', '/']) {
      const answer = await get(server(), path, 'none', ['Host: evil.example'])
      expect(statusOf(answer), path).toBeGreaterThanOrEqual(400)
      expect(statusOf(answer), path).toBeLessThan(500)
    }
  })
})

describe('a request as to a proxy is judged by the host in its target', () => {
  /** A GET of both surfaces whose target has an authority. */
  const ask = (authority: string, host: string) => {
    const [keys] = server().accounts
    const { pathname } = new URL(server().controlUrl)
    const get = (path: string, authorization: string) => {
      const [target, given] = [`${authority}${path}`, host].map(text => text.replace('PORT', port(server())))
      const lines = [
        `GET ${target} HTTP/1.1`,
        `Host: ${given}`,
        `Authorization: ${authorization}`,
        'Connection: close',
      ]
      return exchange(server().url, `${lines.join('\r\n')}\r\n\r\n`)
    }
    return Promise.all([
      get('/payout_intents?limit=1', keys ? basic(keys) : ''),
      get(`${pathname}/merchants`, `Bearer ${server().controlToken}`),
    ])
  }

  test.each([
    ['http://127.0.0.1:PORT', '127.0.0.1:PORT'],
    ['HTTP://LOCALHOST:PORT', 'localhost:PORT'],
    ['http://localhost:80', 'localhost'],
  ])('%s with the Host %s is answered', async (authority, host) => {
    const answers = await ask(authority, host)
    expect(answers.map(statusOf)).toEqual([200, 200])
    expect(answers[0]).toContain('has_more')
  })

  test.each([
    ['http://evil.example', 'evil.example'],
    ['http://evil.example', 'localhost:PORT'],
    ['http://localhost:PORT', 'evil.example'],
    ['http://localhost:PORT', '127.0.0.1:PORT'],
    ['http://localhost:PORT', 'localhost:1'],
    ['http://user@localhost:PORT', 'localhost:PORT'],
    ['http://', 'localhost:PORT'],
    ['https://localhost:PORT', 'localhost:PORT'],
    ['ftp://localhost', 'localhost'],
  ])('%s with the Host %s is refused', async (authority, host) => {
    for (const answer of await ask(authority, host)) {
      expect(statusOf(answer), answer).toBe(400)
      expect(answer).not.toContain('has_more')
    }
  })
})

test('--allow-host accepts the named host and no other', async () => {
  const own = await ownServer({ args: ['--allow-host', 'paysim.test'] })
  expect((await ask(own, [`Host: paysim.test:${port(own)}`])).map(statusOf)).toEqual([200, 200])
  expect((await ask(own, [`Host: localhost:${port(own)}`])).map(statusOf)).toEqual([200, 200])
  for (const answer of await ask(own, ['Host: other.test']))
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400)
})

describe('a web page of another origin gets no CORS permission', () => {
  const origins = ['https://evil.example', 'null', 'http://localhost:3000']

  test.each(origins)('no answer to origin %s has a CORS header', async origin => {
    const account = await openAccount(server())
    const payment = await createPayment(account)
    const answers = [
      await account.call('GET', `/payment_intents/${payment.id}`, { headers: { origin } }),
      await account.call('GET', '/payout_intents', { headers: { origin }, anonymous: true }),
      await server().control('GET', '/merchants', { headers: { origin } }),
      await server().control('GET', '/health', { headers: { origin }, anonymous: true }),
    ]
    for (const { headers } of answers) {
      expect([...headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([])
    }
  })

  test.each(['/payment_intents', '/_paysim/merchants', '/_paysim/accounts/default.test/reset'])(
    'a preflight request for %s is refused',
    async path => {
      const answer = await fetch(`${server().url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type',
        },
      })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect([...answer.headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([])
    },
  )
})
