import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
