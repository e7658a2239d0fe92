import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ownServer } from '../../support/gateway/shared-server.ts'

/** The examples of the control surface's document, sent to a new server; ids come by its links. */

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
type Json = any

interface Call {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly described: Json
}

interface Exchange {
  readonly parameters: Readonly<Record<string, string>>
  readonly status: number
  readonly body: Json
}

/** What is not sent, and why. */
/** Filters whose examples name records that are not here. */
const OF_ANOTHER_SERVER: Readonly<Record<string, readonly string[]>> = {
  listDeliveries: ['payment', 'reference', 'endpoint', 'status'],
}

const LEFT_OUT = {
  follow: 'a stream does not end',
  releaseHold: 'nothing is held on a new server',
  signIn: 'only a page of the dashboard may sign in',
  signOut: 'only a page of the dashboard is signed in',
}

test('each call of the control surface succeeds with its examples, after those that lead to it', async () => {
  const server = await ownServer({ args: ['--ephemeral', '--control-token', 'docs-token'] })
  const shop = createServer((_, response) => response.end('thanks')).listen(0, '127.0.0.1')
  onTestFinished(() => void shop.close())
  await once(shop, 'listening')
  const { port } = shop.address() as AddressInfo
  const { body: document } = await server.control('GET', '/control.json')
  const { body: merchantApi } = await server.control('GET', '/openapi.json')
  const calls: Call[] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      described,
    })),
  )
  const exampleOf = (path: string) =>
    merchantApi.paths[path].post.requestBody.content['application/json'].example
  const slip = new Blob([await readFile('scenarios/receipts/slip.png')], { type: 'image/png' })

  /** The merchant has asked for what a call is about: a hosted payment, or a cancellation. */
  async function prepare(id: string): Promise<void> {
    const { payment_method: _, payment_method_options: __, ...order } = exampleOf('/payment_intents')
    const hosted = { ...order, checkout_mode: 'hosted', return_url: `http://127.0.0.1:${port}/thanks` }
    const isCancel = id === 'confirmCancelPayment'
    const body = isCancel ? exampleOf('/payment_intents') : hosted
    const { status, body: payment } = await server.call('POST', '/payment_intents', { body })
    expect(status).toBe(201)
    if (isCancel) await server.call('POST', `/payment_intents/${payment.id}/cancel-pending`, { body: {} })
  }

  /** Sends a call after the one that leads to it. */
  async function play({ id, method, path, described }: Call): Promise<Exchange> {
    const before = calls.find(({ described: { responses } }) =>
      Object.values<Json>(responses).some(({ links = {} }) => id in links),
    )
    const known: Record<string, string> = {}
    let content = described.requestBody?.content
    if (before) {
      const { parameters: given, body } = await play(before)
      const [link] = Object.values<Json>(before.described.responses).flatMap(
        ({ links = {} }) => links[id] ?? [],
      )
      for (const [name, expression] of Object.entries<string>(link.parameters ?? {}))
        known[name] = String(meantBy(expression, { parameters: given, body }))
      if (link.requestBody)
        content = { 'application/json': { example: meantBy(link.requestBody, { parameters: given, body }) } }
    }
    const parameters: Record<string, string> = {}
    const query = new URLSearchParams()
    for (const { name, in: place, example } of described.parameters)
      if (place === 'path') parameters[name] = known[name] ?? example
      else if (place === 'query' && !(OF_ANOTHER_SERVER[id] ?? []).includes(name))
        query.set(name, known[`query.${name}`] ?? String(example))
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''))
    const search = query.size === 0 ? '' : `?${query}`
    const form = new FormData()
    form.set('file', slip)
    const json = content?.['application/json']
    const response = await fetch(`${server.controlUrl}${filled}${search}`, {
      method,
      headers: {
        authorization: 'Bearer docs-token',
        ...(json ? { 'content-type': 'application/json' } : {}),
      },
      ...(json ? { body: JSON.stringify(json.example) } : content ? { body: form } : {}),
    })
    const text = await response.text()
    expect(response.ok, `${id} was answered ${response.status}: ${text.slice(0, 300)}`).toBe(true)
    const isJson = response.headers.get('content-type')?.includes('json')
    return { parameters, status: response.status, body: isJson ? JSON.parse(text) : undefined }
  }

  await server.control('POST', '/accounts/default.test/webhook-endpoints', {
    body: { url: 'http://127.0.0.1:9/hooks' },
  })
  const played = calls.filter(({ id }) => !(id in LEFT_OUT))
  const failed: string[] = []
  for (const call of played) {
    await prepare(call.id)
    await play(call).catch((cause: Error) => failed.push(cause.message.split('\n')[0] ?? ''))
  }
  expect(failed).toEqual([])
  expect(played.length).toBeGreaterThan(70)
})

/** What a runtime expression of a link stands for. */
function meantBy(expression: string, { parameters, body }: Pick<Exchange, 'parameters' | 'body'>): Json {
  const [, name] = /^\$request\.path\.(\w+)$/.exec(expression) ?? []
  if (name !== undefined) return parameters[name]
  const [, pointer = ''] = /^\$response\.body(?:#(.*))?$/.exec(expression) ?? []
  return pointer
    .split('/')
    .slice(1)
    .reduce((value: Json, part) => value?.[part], body)
}
