import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, accountOf } from '../../support/gateway/merchant.ts'
import { removeDirectory, runBinary, type Server, startServer } from '../../support/gateway/server.ts'
import { expectError, expectFresh, expectReplay } from '../../support/http/answers.ts'
import { hosted } from '../../support/payments/requests.ts'

/** `create.path` may be any path that nothing else uses: it works there, or is refused with the rule that it broke. */

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'paysim-create-path-'))
})
afterAll(() => removeDirectory(directory))

let files = 0
async function contractWith(path: unknown): Promise<string> {
  files += 1
  const file = join(directory, `contract-${files}.json`)
  await writeFile(file, JSON.stringify({ 'create.path': path }))
  return file
}

test.each([
  ['/payments?v=2', /no query string/],
  ['/payment_intents/new', /GET \/payment_intents\/\{id\}/],
  ['/_paysim/payments', /control surface/],
])('%s is refused at start, and the error names the broken rule', async (path, rule) => {
  const contract = await contractWith(path)
  for (const command of [['serve', '--json', '--ephemeral', '--port', '0'], ['contract'], ['openapi']]) {
    const { code, stdout, stderr } = await runBinary([...command, '--contract', contract])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain(`create.path: ${JSON.stringify(path)} is not allowed: `)
    expect(stderr).toMatch(rule)
  }
})

describe.each([
  '/payment_intents/',
  '/payment_intents/new/one',
  '/payments:create',
  '/caf%C3%A9/(a),b;c=d@e!$&*+~',
  '/checkout/payments',
])('%s', path => {
  let server: Server
  let account: Account
  let contract: string
  beforeAll(async () => {
    contract = await contractWith(path)
    server = await startServer({ args: ['--ephemeral', '--contract', contract] })
    account = accountOf(server, (await server.merchant({ clock: { mode: 'virtual' } })).test)
  })
  afterAll(async () => {
    await server.stop()
    await removeDirectory(server.dataDir)
  })
  const create = (key: string, at = path) =>
    account.call('POST', at, { body: hosted(), headers: { 'idempotency-key': key } })

  test('creates, replays and is logged', async () => {
    const first = await create('a')
    expectFresh(first, 201)
    expectReplay(await create('a'), first)
    expect((await account.read(first.body.id)).id).toBe(first.body.id)
    const { data } = (await account.control('GET', '/requests')).body
    expect(data.at(-1)).toMatchObject({ method: 'POST', path, status: 201 })
  })

  test('a percent-encoded spelling is the same path', async () => {
    const spelled = path.replace(/[A-Za-z]/, letter => `%${letter.charCodeAt(0).toString(16)}`)
    const first = await create('b')
    expectReplay(await create('b', spelled), first)
  })

  test('accepts no other method, and no other path creates', async () => {
    const other = await account.call('GET', path)
    expectError(other, 405, 'method_not_allowed')
    expect(other.headers.get('allow')).toBe('POST')
    const standard = await account.call('POST', '/payment_intents', { body: hosted() })
    expectError(standard, 404, 'not_found')
  })

  test.each([path, '/payment_intents'])('a fault on POST %s applies to it', async on => {
    const faults = [{ on: `POST ${on}`, times: 1, type: 'status', status: 503 }]
    const set = await account.control('PUT', '/faults', { body: { faults } })
    expect(set.body.faults).toEqual(faults)
    expectError(await create('c'), 503, 'service_unavailable')
    expectFresh(await create('c'), 201)
    expect((await account.control('GET', '/faults')).body.used).toEqual([1])
    await account.control('DELETE', '/faults')
    await account.control('POST', '/reset')
  })

  test('the OpenAPI document and the command line use it', async () => {
    const { paths } = (await server.control('GET', '/openapi.json')).body
    expect(paths[path]).toEqual({ post: expect.objectContaining({ operationId: 'createPayment' }) })
    const keys = account.keys
    const env = {
      PAYSIM_BASE_URL: server.url,
      PAYSIM_PUBLIC_KEY: keys.public_key,
      PAYSIM_SECRET_KEY: keys.secret_key,
    }
    const flags = ['--amount', '15000', '--currency', 'THB', '--country', 'TH', '--merchant-reference', 'o']
    const args = ['payments', 'create', ...flags, '--contract', contract, '-o', 'json', '--no-input']
    const made = await runBinary(args, { env })
    expect(made.code, made.stderr).toBe(0)
    expect(JSON.parse(made.stdout)).toMatchObject({ object: 'payment_intent', amount: '15000' })
  })
})
