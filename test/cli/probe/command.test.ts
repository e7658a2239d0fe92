import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startSimulator } from '../../../src/library/start-simulator.ts'
import { openSite } from '../../support/cli/site.ts'
import { noTerminal, openTerminal, type Terminal } from '../../support/cli/terminal.ts'
import { openWorkplace } from '../../support/cli/workplace.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'

/** `paysim probe` as it is called: what it prints and writes, and how it ends. */

const server = sharedServer()
let place: Awaited<ReturnType<typeof openWorkplace>>
beforeAll(async () => {
  place = await openWorkplace()
})
afterAll(() => place.close())

async function environment() {
  const { test: account } = await server().merchant({})
  return {
    PAYSIM_BASE_URL: server().url,
    PAYSIM_PUBLIC_KEY: account.public_key,
    PAYSIM_SECRET_KEY: account.secret_key,
  }
}

test('prints what it found, and writes a contract file that other commands take', async () => {
  const env = await environment()
  const file = place.path('found.json')
  const { code, stdout, stderr } = await place.paysim(['probe', '--save', file], { env })
  expect([code, stderr]).toEqual([0, expect.stringContaining(`serve --contract ${file}`)])
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}errors\.body +nested$/))
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}strict\.nulls +needs --allow-writes/))
  expect(lines.at(-1)).toMatch(/^\d+ requests, 9 answers, 0 payments made, 0 contradictions\.$/)
  const saved = JSON.parse(await readFile(file, 'utf8'))
  expect(saved).toMatchObject({ 'auth.failure_status': '401', 'create.path': '/payment_intents' })
  expect(await place.paysim(['contract', '--contract', file])).toMatchObject({ code: 0 })

  const { stdout: json } = await place.paysim(['probe', '-o', 'json'], { env })
  const { answers, unknown, contract, violations } = JSON.parse(json)
  expect([contract, violations]).toEqual([saved, []])
  const [{ evidence }] = answers
  expect(Object.keys(evidence[0])).toEqual(['request', 'answer', 'at'])
  expect(unknown).toContainEqual({ key: 'events.retry', why: expect.stringContaining('webhooks') })
})

test('ends with 2 for a live key and for a path where nothing can be created', async () => {
  const { live } = await server().merchant({})
  const keys = { PAYSIM_PUBLIC_KEY: live.public_key, PAYSIM_SECRET_KEY: live.secret_key }
  const refused = await place.paysim(['probe'], { env: { ...(await environment()), ...keys } })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no live keys')])
  const path = await place.paysim(['probe', '--create-path', 'pay'], { env: await environment() })
  expect([path.code, path.stderr]).toEqual([2, expect.stringContaining('it must start with /')])
})

const METHODS = { country: 'TH', currency: 'THB', environment: 'test', methods: [] }

test.each([
  ['a web page', 200, '<h1>Shop</h1>', 7],
  ['an error of its own', 503, { error: { code: 'down' } }, 1],
  ['a refusal of the keys', 401, { error: { code: 'unauthorized' } }, 3],
  ['everything with the same answer', 200, METHODS, 10],
])('ends as documented at a server that answers with %s', async (_, status, body, code) => {
  const site = await openSite((_, answer) =>
    answer.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)),
  )
  onTestFinished(site.close)
  const keys = { PAYSIM_PUBLIC_KEY: 'pk_test_a', PAYSIM_SECRET_KEY: 'sk_test_b' }
  const run = await place.paysim(['probe', '--retries', '0'], {
    env: { PAYSIM_BASE_URL: site.url, ...keys },
  })
  expect([run.code, run.stderr]).toEqual([code, code === 10 ? '' : expect.stringMatching(/^paysim: .+/)])
})

test('puts the contract into a profile, and commands speak accordingly', async () => {
  const sim = await startSimulator({ contract: { 'create.path': '/payments', 'errors.body': 'flat' } })
  onTestFinished(() => sim.stop())
  const [account] = sim.accounts
  const profile = {
    base_url: sim.url,
    public_key: account?.publicKey,
    secret_key: account?.secretKey,
    contract: { 'create.merchant_reference': 'optional' },
  }
  await place.writeProfiles({ current: 'sandbox', profiles: { sandbox: profile } })
  const file = place.path('learned.json')
  const { stderr } = await place.paysim(['probe', '--save', file])
  expect(stderr).toContain(`profile set sandbox --contract ${file}`)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    'create.path': '/payments',
    'create.merchant_reference': 'optional',
  })
  const create = () => place.paysim(['payments', 'create', '--amount', '99 THB', '--country', 'TH'])
  expect((await create()).stderr).toContain('404')
  await place.paysim(['profile', 'set', 'sandbox', '--contract', file])
  // The server gets it at its path, and says in its form what it lacks.
  const refused = await create()
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/merchant_reference.*validation_failed/s),
  ])
})

test('asks nobody where nobody answers', async () => {
  const env = await environment()
  for (const [flags, what] of [
    [['--ask'], 'needs --allow-writes'],
    [['--ask', '--allow-writes'], 'needs a terminal'],
  ] as const) {
    const run = await place.paysim(['probe', ...flags], { env })
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(what)])
  }
})

describe.skipIf(noTerminal)('on a terminal', () => {
  let terminal: Terminal
  afterEach(() => terminal?.close())

  test('asks a person to choose a method, and offers to put the contract into the profile', async () => {
    const { test: account } = await server().merchant({})
    const book = join(place.path('asked'), 'paysim', 'profiles.json')
    await mkdir(dirname(book), { recursive: true })
    const { public_key, secret_key } = account
    const profile = { base_url: server().url, public_key, secret_key }
    await writeFile(book, JSON.stringify({ current: 'shop', profiles: { shop: profile } }), { mode: 0o600 })
    terminal = await openTerminal(['probe', '--allow-writes', '--ask', '--save', 'found.json'], {
      cwd: place.path('asked'),
    })
    expect(await terminal.waitFor('choose a payment method, but do not pay. Did you?')).toContain('http')
    await terminal.press('y', 'Enter')
    await terminal.waitFor('Put this contract into the profile shop?')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(0)
    const { contract } = JSON.parse(await readFile(book, 'utf8')).profiles.shop
    expect(contract).toMatchObject({ 'errors.body': 'nested', 'strict.nulls': 'reject' })
    expect(contract).not.toHaveProperty(['payment.method_after_choice'])
  })
})
