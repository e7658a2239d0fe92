import { expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

const place = useWorkplace()

interface Asked {
  readonly call: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A server that answers every call in the same way. */
async function server(status: number, text: string, type = 'application/json') {
  const asked: Asked[] = []
  const { url, close } = await openSite(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url: path, headers } = request
    asked.push({ call: `${method} ${path}`, headers, body: Buffer.concat(chunks).toString('utf8') })
    response.writeHead(status, { 'content-type': type }).end(text)
  })
  onTestFinished(close)
  const keys = { PAYSIM_PUBLIC_KEY: 'pk_test_a', PAYSIM_SECRET_KEY: 'sk_test_request' }
  const request = (args: readonly string[], more: { env?: Record<string, string>; input?: string } = {}) =>
    place().paysim(['request', ...args], {
      ...more,
      env: { PAYSIM_BASE_URL: `${url}/v2`, ...keys, ...more.env },
    })
  return { asked, request }
}

test('request prints the answer as received, whatever it means', async () => {
  const odd = '{"a" :1.00,\n "b":"\u0e01"}'
  const { request, asked } = await server(200, odd)
  for (const format of ['human', 'json'])
    expect(await request(['get', '/things', '-o', format])).toEqual({
      code: 0,
      stdout: `${odd}\n`,
      stderr: '',
    })
  expect(asked.map(({ call }) => call)).toEqual(['GET /v2/things', 'GET /v2/things'])
  const basic = Buffer.from('pk_test_a:sk_test_request').toString('base64')
  expect(asked[0]?.headers).toMatchObject({ authorization: `Basic ${basic}` })
  const empty = await server(204, '')
  expect(await empty.request(['DELETE', '/things/1'])).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('request sends body, headers, parameters and key as given', async () => {
  const { request, asked } = await server(200, '{}')
  const file = await place().write('body.txt', '{"n": 1.0}\n')
  const args = ['POST', '/things?x=1', '-H', 'X-Trace: a: b', '-H', 'content-type:text/plain']
  const parameters = ['--query-param', 'status=a&b', '--query-param', 'status=ก']
  const keyed = ['--idempotency-key', 'order-42']
  await request([...args, ...parameters, ...keyed, '--data', `@${file}`])
  await request(['PATCH', 'things', '--data', '-'], { input: '{not json' })
  expect(asked).toMatchObject([
    {
      call: 'POST /v2/things?x=1&status=a%26b&status=%E0%B8%81',
      headers: { 'x-trace': 'a: b', 'content-type': 'text/plain', 'idempotency-key': 'order-42' },
      body: '{"n": 1.0}\n',
    },
    { call: 'PATCH /v2/things', headers: { 'content-type': 'application/json' }, body: '{not json' },
  ])
})

test('request prints a refusal too, which decides the exit code; a page is not an answer', async () => {
  const body = '{"error":{"code":"invalid_state","message":"Not now","details":[]}}'
  const refusing = await server(422, body)
  const { code, stdout, stderr } = await refusing.request(['POST', '/things', '--data', '{}'])
  expect({ code, stdout }).toEqual({ code: 5, stdout: `${body}\n` })
  expect(stderr).toContain('Not now (invalid_state, HTTP 422')
  // A path into the answer that was hoped for finds nothing in this one, and says nothing of it.
  expect(await refusing.request(['POST', '/things', '--query', 'id'])).toMatchObject({ code: 5, stdout: '' })
  const page = await server(200, '<html>', 'text/html')
  expect(await page.request(['GET', '/'])).toMatchObject({ code: 7, stdout: '' })
})

test('what cannot be sent is a usage error, and a change with a live key needs confirmation', async () => {
  const { request, asked } = await server(200, '{}')
  const live = { PAYSIM_PUBLIC_KEY: 'pk_live_a', PAYSIM_SECRET_KEY: 'sk_live_request' }
  const runs = await Promise.all([
    request(['GTE', '/things']),
    request(['GET', 'https://elsewhere.example/things']),
    request(['GET', '/things', '--header', 'no colon']),
    request(['GET', '/things', '--header', 'Authorization: Basic eDp5']),
    request(['GET', '/things', '--query-param', 'limit']),
    request(['POST', '/things', '--data', `@${place().path('nowhere')}`]),
    request(['POST', '/things'], { env: live }),
  ])
  expect(runs).toMatchObject(runs.map(() => ({ code: 2, stdout: '' })))
  expect(runs.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining('Did you mean GET?'),
    expect.stringContaining('Give only the path'),
    expect.stringContaining('X-Trace:abc'),
    expect.stringContaining('paysim sets Authorization itself'),
    expect.stringContaining('limit=10'),
    expect.stringMatching(/cannot read .*nowhere \(--data\)/),
    expect.stringContaining('--yes'),
  ])
  expect(asked).toEqual([])
  expect(await request(['GET', '/things'], { env: live })).toMatchObject({ code: 0 })
  expect(await request(['POST', '/things', '--yes'], { env: live })).toMatchObject({ code: 0 })
})
