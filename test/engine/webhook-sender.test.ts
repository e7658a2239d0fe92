import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as listenTcp } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TooLateError } from '../../src/engine/time/real-time.ts'
import { WebhookHostError, WebhookHosts } from '../../src/engine/webhooks/webhook-hosts.ts'
import { WebhookSender } from '../../src/engine/webhooks/webhook-sender.ts'
import { claimedPort } from '../support/http/claimed-port.ts'

/** The payer's browser at a page of the application: what it may reach, and how long it waits. */

const NEVER_MS = 60_000

async function listening(answer: RequestListener, host = '127.0.0.1') {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  }).listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, asked, url: `http://${host}:${port}` }
}

/** A sender for which every name has these addresses. */
function sender(allowed: readonly string[] = [], ...addresses: string[]) {
  const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const made = new WebhookSender(new WebhookHosts(allowed, (_, done) => done(null, found)))
  onTestFinished(() => made.close())
  return made
}

describe('a visit', () => {
  test('is one GET that follows no redirect, and carries no credentials', async () => {
    const seen: unknown[] = []
    const shop = await listening((request, response) => {
      seen.push(request.headers.authorization, request.headers.cookie)
      response.writeHead(302, { location: '/login?next=1', 'set-cookie': 'a=b' }).end('go')
    })
    const url = `http://user:secret@127.0.0.1:${shop.port}/thanks?a=1&b=%20#top`
    expect(await sender().visit(url, NEVER_MS, [])).toMatchObject({ status: 302, location: '/login?next=1' })
    expect(shop.asked).toEqual(['GET /thanks?a=1&b=%20'])
    expect(seen).toEqual([undefined, undefined])
  })

  test('connects to no address that webhooks may not go to, whatever its name is', async () => {
    const shop = await listening((_, response) => response.end())
    const visit = (host: string, ...addresses: string[]) =>
      sender(['shop.example'], ...addresses).visit(`http://${host}:${shop.port}/`, NEVER_MS, [])
    expect(await visit('shop.example', '127.0.0.1')).toMatchObject({ status: 200 })
    await expect(visit('shop.example', '169.254.169.254')).rejects.toThrow(/metadata service/)
    await expect(visit('shop.localhost', '10.0.0.1')).rejects.toThrow(WebhookHostError)
    await expect(visit('10.0.0.1')).rejects.toThrow(/start with --allow-webhooks 10.0.0.1/)
    await expect(visit('other.example', '127.0.0.1')).rejects.toThrow(/start with --allow-webhooks/)
    expect(shop.asked).toEqual(['GET /'])
  })

  const addresses = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  const outside = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const own: [name: string, addresses: string[]][] = [
    ['127.0.0.1', []],
    ['localhost', ['127.0.0.1']],
    ['shop.localhost', ['127.0.0.1']],
    ['shop.example', ['127.9.9.9']],
    ['shop.example', ['::1']],
    ['shop.example', ['0.0.0.0']],
    ['shop.example', ['::']],
    ['shop.example', ['::ffff:127.0.0.1']],
    ['shop.example', ['203.0.113.7', '127.0.0.1']],
    ['2130706433', []],
    ...(outside === undefined
      ? []
      : [['shop.example', [outside]] as [string, string[]], [outside, []] as [string, string[]]]),
  ]

  test.each(own)('never asks paysim itself: %s at %j', async (name, found) => {
    const itself = await listening((_, response) => response.end(), '0.0.0.0')
    const everywhere = ['shop.example', '0.0.0.0/0', '::/0']
    const visiting = sender(everywhere, ...found).visit(`http://${name}:${itself.port}/`, NEVER_MS, [
      'http://127.0.0.1:1',
      `http://127.0.0.1:${itself.port}/_paysim`,
    ])
    await expect(visiting).rejects.toThrow('points to paysim itself')
    expect(itself.asked).toEqual([])
  })

  test('never asks its public address, whose host is another machine', async () => {
    const visiting = sender(['0.0.0.0/0', 'pay.example'], '203.0.113.7').visit(
      'https://pay.example/checkout',
      NEVER_MS,
      ['http://127.0.0.1:1', 'https://pay.example'],
    )
    await expect(visiting).rejects.toThrow('points to paysim itself')
  })

  test('may ask another port of this machine', async () => {
    const shop = await listening((_, response) => response.writeHead(404).end())
    expect(await sender().visit(shop.url, NEVER_MS, ['http://127.0.0.1:1'])).toMatchObject({
      status: 404,
      location: undefined,
    })
  })

  test.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['never ends its answer', (_, response) => void response.writeHead(200).write('a')],
  ])('gives up on a server that %s', async (_, answer) => {
    const shop = await listening(answer)
    // On a busy machine, the time may be over before the request was sent.
    let visits = 0
    do await expect(sender().visit(shop.url, 100 * 2 ** visits++, [])).rejects.toThrow(TooLateError)
    while (shop.asked.length === 0)
    expect(shop.asked.length).toBeLessThanOrEqual(visits)
  })

  test('gives up on a server that takes no request', async () => {
    const silent = listenTcp(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    await expect(sender().visit(`https://127.0.0.1:${port}/`, 100, [])).rejects.toThrow(TooLateError)
  })

  test('reads no more than the start of an endless answer', async () => {
    const shop = await listening((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(64 * 1024)));
      }
      response.writeHead(200).on('drain', more)
      more()
    })
    expect(await sender().visit(shop.url, NEVER_MS, [])).toMatchObject({ status: 200 })
  })

  test('ends when the process stops', async () => {
    const going = sender()
    const shop = await listening(() => void going.close())
    await expect(going.visit(shop.url, NEVER_MS, [])).rejects.toThrow('stopped')
  })

  test('says that nothing listens', async () => {
    const url = `http://127.0.0.1:${await claimedPort()}`
    await expect(sender().visit(url, NEVER_MS, [])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
