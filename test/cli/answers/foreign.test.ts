import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/errors/exit-code.ts'
import type { Client } from '../../../src/client/index.ts'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import { clientFor, ORDER, refusal } from '../../support/client/client.ts'

/** What answers 2xx and is not this API must not be taken for it: by no command, and in no format. */

const place = useWorkplace()

const PAYMENT = { id: 'pi_1', object: 'payment_intent', status: 'pending' }
const PAYOUT = { id: 'po_1', object: 'payout_intent', status: 'processing' }
const page = (...ids: string[]) => ids.map(id => ({ ...PAYOUT, id }))

interface Said {
  readonly status?: number
  readonly body: unknown
}

/** A server that returns the given answer: a value as JSON, and a text as a web page. */
async function site(answer: (asked: { url: URL; method: string }) => Said): Promise<string> {
  const { url, close } = await openSite((request, response) => {
    const { status = 200, body } = answer({
      url: new URL(request.url ?? '/', 'http://x'),
      method: request.method ?? '',
    })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    request.resume().once('end', () => response.writeHead(status, { 'content-type': type }).end(text))
  })
  onTestFinished(close)
  return url
}

async function paysim(baseUrl: string, ...args: string[]) {
  const env = {
    PAYSIM_BASE_URL: baseUrl,
    PAYSIM_PUBLIC_KEY: 'pk_test_1',
    PAYSIM_SECRET_KEY: 'sk_test_1',
  }
  return place().paysim(args, { env })
}

const ORDER_FLAGS = [
  ...['--amount', '10000', '--currency', 'THB', '--country', 'TH', '--merchant-reference', 'order-1'],
  ...['--customer-name', 'Somchai'],
]
const TERMS = ['--amount', '10000', '--currency', 'THB', '--country', 'TH']

const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['payments create', ['payments', 'create', ...ORDER_FLAGS]],
  ['payments get', ['payments', 'get', 'pi_1']],
  ['payments wait', ['payments', 'wait', 'pi_1', '--timeout', '10m']],
  ['payments cancel', ['payments', 'cancel', 'pi_1']],
  ['payments submit-receipt', ['payments', 'submit-receipt', 'pi_1', '--asset', 'ast_1']],
  ['payouts list', ['payouts', 'list']],
  ['payouts list --all', ['payouts', 'list', '--all']],
  ['payouts cancel', ['payouts', 'cancel', 'po_1', '--yes']],
  ['methods list', ['methods', 'list', ...TERMS]],
]

const FOREIGN: readonly (readonly [string, unknown])[] = [
  ['an object of something else', { hello: 'world' }],
  ['an empty object', {}],
  ['a list', [PAYMENT]],
  ['a text', '"ok"'],
  ['a page', '<!doctype html><title>Welcome</title>'],
]
const FORMATS = ['human', 'json', 'csv'] as const

test.each(
  COMMANDS.map(([command, args], nth) => {
    const [what, body] = FOREIGN[nth % FOREIGN.length] ?? []
    return { command, args, what, body, format: FORMATS[nth % FORMATS.length] ?? 'human' }
  }),
)('$command -o $format does not accept $what as an answer', async ({ args, format, body }) => {
  const url = await site(() => ({ body }))
  const { code, stdout, stderr } = await paysim(url, ...args, '-o', format)
  expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
  expect(stderr, 'what to do about it').toMatch(/base URL/)
})

/** What the commands call. A command ends with what the client throws, so all else is tried without a process. */
const CALLS = {
  'payments.create': ({ payments }) => payments.create(ORDER),
  'payments.get': ({ payments }) => payments.get('pi_1'),
  'payments.wait': ({ payments }) => payments.wait('pi_1', { timeoutMs: 600_000 }),
  'payments.cancel': ({ payments }) => payments.cancel('pi_1'),
  'payments.submitReceipt': ({ payments }) => payments.submitReceipt('pi_1', { assetId: 'ast_1' }),
  'payouts.list': ({ payouts }) => payouts.list(),
  'payouts.pages': async ({ payouts }) => {
    for await (const _ of payouts.pages());
  },
  'payouts.cancel': ({ payouts }) => payouts.cancel('po_1'),
  'methods.list': ({ methods }) => methods.list({ amount: '10000', currency: 'THB', country: 'TH' }),
} satisfies Readonly<Record<string, (client: Client) => PromiseLike<unknown>>>

async function ending(url: string, call: (client: Client) => PromiseLike<unknown>) {
  const error = await refusal(call(clientFor(url, { retries: 0 })), Error)
  return { code: exitCodeOf(error), message: error.message }
}

test.each(
  Object.entries(CALLS).flatMap(([name, call]) =>
    FOREIGN.map(([what, body]) => ({ name, call, what, body })),
  ),
)('$name does not accept $what as an answer', async ({ call, body }) => {
  const { code, message } = await ending(await site(() => ({ body })), call)
  expect(code, message).toBe(7)
  expect(message, 'what to do about it').toMatch(/base URL/)
})

describe('the members that a command needs are checked', () => {
  test.each([
    ['no id', { ...PAYMENT, id: undefined }, 'id is missing'],
    ['an id that is a number', { ...PAYMENT, id: 7 }, 'id '],
    ['another object', { ...PAYMENT, object: 'charge' }, 'object '],
    ['no status', { ...PAYMENT, status: undefined }, 'status is missing'],
    ['a status that is not text', { ...PAYMENT, status: 3 }, 'status '],
    ['another payment', { ...PAYMENT, id: 'pi_2' }, 'pi_2'],
  ])('a payment with %s', async (_, body, told) => {
    const url = await site(() => ({ body }))
    const { code, message } = await ending(url, ({ payments }) => payments.get('pi_1'))
    expect(code, message).toBe(7)
    expect(message).toContain(told)
    expect(message, 'which answer').toContain('GET /payment_intents/pi_1')
  })

  test.each([
    ['no data', { has_more: false }, 'data is missing'],
    ['data that is not a list', { data: {}, has_more: false }, 'data '],
    ['a text among them', { data: ['po_1'], has_more: false }, 'data.0'],
    ['a payment among them', { data: [PAYMENT], has_more: false }, 'data.0.object'],
    ['one without an id', { data: [{ ...PAYOUT, id: undefined }], has_more: false }, 'data.0.id'],
    ['one without a status', { data: [{ ...PAYOUT, status: null }], has_more: false }, 'data.0.status'],
    ['no has_more', { data: [] }, 'has_more is missing'],
    ['a has_more that is a text', { data: [], has_more: 'false' }, 'has_more '],
    ['more, and no cursor', { data: page('po_1'), has_more: true }, 'next_cursor is missing'],
    ['more, and a cursor of null', { data: page('po_1'), has_more: true, next_cursor: null }, 'next_cursor'],
    ['more, and an empty cursor', { data: page('po_1'), has_more: true, next_cursor: '' }, 'next_cursor'],
    ['a cursor that is a number', { data: [], has_more: false, next_cursor: 5 }, 'next_cursor'],
  ])('a list with %s', async (_, body, told) => {
    const url = await site(() => ({ body }))
    for (const name of ['payouts.list', 'payouts.pages'] as const) {
      const { code, message } = await ending(url, CALLS[name])
      expect(code, message).toBe(7)
      expect(message).toContain(told)
    }
  })

  test('payouts list --all keeps what it printed before a page that is not valid', async () => {
    const url = await site(({ url }) => ({
      body: url.searchParams.has('cursor')
        ? { hello: 'world' }
        : { data: page('po_1', 'po_2'), has_more: true, next_cursor: 'b' },
    }))
    const { code, stdout, stderr } = await paysim(url, 'payouts', 'list', '--all', '--query', 'id')
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: 'po_1\npo_2\n' })
    expect(stderr).toContain('--cursor b')
  })

  test('payouts list --all rejects a list whose cursor repeats', async () => {
    const url = await site(() => ({ body: { data: page('po_1'), has_more: true, next_cursor: 'b' } }))
    const { code, stdout, stderr } = await paysim(url, 'payouts', 'list', '--all', '--query', 'id')
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: 'po_1\npo_1\n' })
    expect(stderr).toContain('"b"')
  })

  test.each([
    ['methods that are not a list', { methods: {} }, 'methods '],
    ['a method without a code', { methods: [{ label: 'Bank' }] }, 'methods.0.code'],
  ])('%s', async (_, body, told) => {
    const url = await site(() => ({ body }))
    const { code, message } = await ending(url, CALLS['methods.list'])
    expect(code, message).toBe(7)
    expect(message).toContain(told)
  })

  test('the error of a change says that it may have been carried out; that of a read does not', async () => {
    const url = await site(() => ({ body: { hello: 'world' } }))
    expect((await paysim(url, 'payments', 'cancel', 'pi_1')).stderr).toMatch(/may have been carried out/)
    expect((await paysim(url, 'payments', 'get', 'pi_1')).stderr).not.toMatch(/carried out/)
  })

  test.each([
    [200, true],
    [500, true],
    [404, false],
  ])('the error of a cancellation answered with a page says so: HTTP %i, %s', async (status, perhapsDone) => {
    const url = await site(() => ({ status, body: '<title>Gateway</title>' }))
    const cancelled = await ending(url, CALLS['payments.cancel'])
    expect(cancelled.message.includes('may have been carried out')).toBe(perhapsDone)
    expect((await ending(url, CALLS['payments.get'])).message).not.toMatch(/carried out/)
  })
})

describe('every other difference is tolerated', () => {
  test('unknown members, unknown values, and missing members', async () => {
    const url = await site(({ url: { pathname } }) => {
      if (pathname.endsWith('/options')) return { body: { methods: [{ code: 'th_new' }], more: 1 } }
      if (pathname === '/payout_intents') return { body: { data: [PAYOUT], has_more: false } }
      if (pathname.startsWith('/payout_intents'))
        return { status: 207, body: { ...PAYOUT, status: 'on_hold' } }
      return { status: 202, body: { ...PAYMENT, status: 'on_hold', x: [1] } }
    })
    for (const [name, args] of COMMANDS) {
      // Its status never comes, so this one waits until its time is over.
      const isWait = name === 'payments wait'
      const { code, stdout, stderr } = await paysim(
        url,
        ...args,
        ...(isWait ? ['--timeout', '1s'] : []),
        '-o',
        'json',
      )
      expect(code, `${name}: ${stderr}`).toBe(isWait ? 8 : 0)
      if (code === 0) expect(stdout).toMatch(/^[[{]/)
    }
  })

  test.each([null, '', undefined])('a last page whose cursor is %j', async next_cursor => {
    const url = await site(() => ({ body: { data: page('po_1'), has_more: false, next_cursor } }))
    const list = (...args: string[]) => paysim(url, 'payouts', 'list', ...args)
    expect(await list('--query', 'data[].id')).toEqual({ code: 0, stdout: 'po_1\n', stderr: '' })
    // With --all, a query is of each payout.
    expect(await list('--all', '--query', 'id')).toEqual({ code: 0, stdout: 'po_1\n', stderr: '' })
  })
})

describe('an error that is not from this API', () => {
  test.each([
    [500, 1],
    [502, 1],
    [503, 1],
    [400, 7],
    [401, 7],
    [403, 7],
    [404, 7],
    [302, 7],
    [200, 7],
  ])('a page with status %i ends with exit code %i', async (status, wanted) => {
    const url = await site(() => ({ status, body: '<!doctype html><title>Hello</title>' }))
    const { code, message } = await ending(url, CALLS['payments.get'])
    expect(code, message).toBe(wanted)
    expect(message).toContain(String(status))
  })

  test.each([
    [404, { detail: 'Not Found' }, 7],
    [404, { statusCode: 404, error: 'Not Found', message: 'Cannot GET /payment_intents/pi_1' }, 7],
    [404, { error: { code: 'not_found', message: 'No such payment' } }, 4],
    [404, { code: 'gone_for_good', message: 'No such payment' }, 4],
    [401, { message: 'Unauthorized' }, 3],
    [403, {}, 3],
    [500, {}, 1],
  ])('JSON with status %i, %j, ends with exit code %i', async (status, body, wanted) => {
    const url = await site(() => ({ status, body }))
    const { code, message } = await ending(url, CALLS['payments.get'])
    expect(code, message).toBe(wanted)
  })

  test('advises to check the base URL', async () => {
    const url = await site(() => ({ status: 404, body: { detail: 'Not Found' } }))
    const { code, stdout, stderr } = await paysim(url, 'payments', 'get', 'pi_1')
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
    expect(stderr).toMatch(/base URL/)
  })
})

describe('paysim doctor', () => {
  test.each([
    ['an object of something else', { body: { hello: 'world' } }, 7],
    ['a list', { body: [] }, 7],
    ['an error of something else', { status: 400, body: { detail: 'no' } }, 7],
    ['a page with 503', { status: 503, body: '<html>' }, 1],
    ['a page with 200', { body: '<html>' }, 7],
  ])('does not say that the keys are accepted by %s', async (_, said, wanted) => {
    const url = await site(() => said)
    const { code, stdout } = await paysim(url, 'doctor')
    expect(code, stdout).toBe(wanted)
    expect(stdout).not.toMatch(/accepted/)
  })

  test('checks the list of payouts too', async () => {
    const url = await site(({ url: { pathname } }) => ({
      body: pathname.endsWith('/options') ? { methods: [], environment: 'test' } : { hello: 'world' },
    }))
    const { code, stdout } = await paysim(url, 'doctor')
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/^! document +the list of payouts: data is missing/m)
  })
})

test('paysim init saves no profile for a server with other answers', async () => {
  const url = await site(() => ({ body: { hello: 'world' } }))
  const { code, stdout, stderr } = await paysim(url, 'init', '--name', 'wrong', '--no-input')
  expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
  expect(stderr).not.toMatch(/accepted/)
  expect((await place().paysim(['profile', 'list', '-o', 'json'])).stdout).not.toContain('wrong')
})

test('a port that does not speak HTTP ends the command with 7 too', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  server.on('connection', socket => socket.end('220 mail.example ESMTP\r\n'))
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  expect(await paysim(`http://127.0.0.1:${port}`, 'payouts', 'list', '--retries', '0')).toMatchObject({
    code: 7,
  })
})
