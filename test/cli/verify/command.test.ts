import { readdir, readFile } from 'node:fs/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { keepKeysSecret, useWorkplace } from '../../support/cli/workplace.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'

/** `paysim verify` as it is called: what it prints and writes, and how it ends. */

const server = sharedServer()
const place = useWorkplace()
let env: Record<string, string>
let live: Record<string, string>
beforeAll(async () => {
  const { test: account, live: other } = await server().merchant({})
  keepKeysSecret(account)
  env = {
    PAYSIM_BASE_URL: server().url,
    PAYSIM_PUBLIC_KEY: account.public_key,
    PAYSIM_SECRET_KEY: account.secret_key,
  }
  live = { ...env, PAYSIM_PUBLIC_KEY: other.public_key, PAYSIM_SECRET_KEY: other.secret_key }
})

test('ends with 0 if nothing differs, and with 10 and a report if a decision does', async () => {
  const same = await place().paysim(['verify'], { env })
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('compared, 0 differences.')])
  const contract = await place().write('contract.json', '{"errors.body":"flat"}')
  const report = place().path('report.xml')
  const flags = ['--contract', contract, '--report', `junit=${report}`]
  const { code, stdout } = await place().paysim(['verify', ...flags, '-o', 'json'], { env })
  expect([code, JSON.parse(stdout).differences]).toEqual([
    10,
    [{ kind: 'decision', name: 'errors.body', expected: 'flat', found: 'nested', requests: [] }],
  ])
  const xml = await readFile(report, 'utf8')
  expect(xml).toMatch(/name="errors\.body"[^>]*>\n<failure message="[^"]*expected: flat/)
  expect(xml.match(/failures="(\d+)"/)?.[1]).toBe('1')
})

test('keeps the answers, and compares with them without a server', async () => {
  const golden = place().path('golden')
  const kept = await place().paysim(['verify', '--record', golden], { env })
  expect(kept.code).toBe(0)
  const files = await readdir(golden)
  expect(files).toEqual(expect.arrayContaining(['verify.json', 'methods.json', 'nobody.json']))
  const texts = await Promise.all(files.map(file => readFile(`${golden}/${file}`, 'utf8')))
  expect(texts.join('')).not.toContain(env.PAYSIM_SECRET_KEY)
  expect((await place().paysim(['verify', '--against', golden], { env })).code).toBe(0)
  expect((await place().paysim(['verify', '--against', golden])).code).toBe(0)
  const contract = await place().write('other.json', '{"auth.failure_status":"403"}')
  const apart = await place().paysim(['verify', '--against', golden, '--contract', contract])
  expect([apart.code, apart.stdout]).toEqual([
    10,
    expect.stringMatching(/auth\.failure_status +401; expected: 403/),
  ])
  await place().write('golden/notes.txt', 'mine')
  const refused = await place().paysim(['verify', '--record', golden], { env })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('notes.txt')])
  expect(await readFile(`${golden}/notes.txt`, 'utf8')).toBe('mine')
})

test('refuses live keys, and a report of another format', async () => {
  const run = await place().paysim(['verify'], { env: live })
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('no live keys')])
  const report = await place().paysim(['verify', '--report', 'tap=x'], { env })
  expect([report.code, report.stderr]).toEqual([2, expect.stringContaining('junit=FILE')])
})

test.each([
  ['a web page', 200, '<h1>Shop</h1>', 7, /instead of JSON/],
  ['a redirect', 302, '', 7, /instead of JSON/],
  ['429 for everything', 429, '{"error":{"code":"rate_limited"}}', 1, /too many requests/],
] as const)('ends clearly at a server that answers with %s', async (_, status, body, code, words) => {
  const site = await openSite((_, response) => response.writeHead(status).end(body))
  onTestFinished(site.close)
  const run = await place().paysim(['verify', '--retries', '0'], {
    env: { ...env, PAYSIM_BASE_URL: site.url },
  })
  expect([run.code, run.stderr]).toEqual([code, expect.stringMatching(words)])
})

test('says that a server stopped answering, and does not call that the same', async () => {
  const methods = JSON.stringify({ country: 'TH', currency: 'THB', environment: 'test', methods: [] })
  const headers = { 'request-id': 'req_1', 'cache-control': 'no-store', 'content-type': 'application/json' }
  let asked = 0
  const site = await openSite((_, response) =>
    asked++ === 0 ? response.writeHead(200, headers).end(methods) : response.writeHead(429).end('{}'),
  )
  onTestFinished(site.close)
  const run = await place().paysim(['verify', '--retries', '0'], {
    env: { ...env, PAYSIM_BASE_URL: site.url },
  })
  expect([run.code, run.stdout]).toEqual([7, expect.stringContaining('takes no more requests (429)')])
})
