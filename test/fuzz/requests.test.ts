import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Driver } from '../support/fuzz/driver.ts'
import { chanceOf, FILES, forEachInput, INPUTS, repeat, WHOLE_MS } from '../support/fuzz/inputs.ts'
import { operationsOf } from '../support/fuzz/requests.ts'
import { BINARY } from '../support/paysim-binary.ts'
import { startTortured } from '../support/torture/torture-server.ts'

const AT_ONCE = 12
/** How many inputs of one client go to an account before it is reset. */
const AN_ACCOUNT = 500

test('damaged requests and bytes bring no 5xx, no exit and no hang', { timeout: WHOLE_MS }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paysim-fuzz-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { server } = await startTortured({
    binary: BINARY,
    dataDir,
    args: ['--durability', 'process', '--seed', '1'],
  })
  if (!server) throw new Error('it ended without a plan')
  onTestFinished(() => server.kill())
  const [merchant = [], control = []] = await Promise.all(
    ['/openapi.json', '/control.json'].map(async path =>
      operationsOf((await server.control('GET', path))?.body),
    ),
  )
  const isEndless = ({ path }: { path: string }) => path.endsWith('/stream')
  const controlCalls = control
    .map(operation => ({ ...operation, path: operation.path.replace(/^\/_paysim/, '') }))
    .filter(operation => !isEndless(operation))
  const drivers = Array.from({ length: AT_ONCE }, () => new Driver(server, merchant, controlCalls))
  onTestFinished(() => {
    for (const driver of drivers) driver.close()
  })
  for (const driver of drivers) await driver.prepare()
  const done = drivers.map(() => 0)
  await forEachInput(Math.ceil(INPUTS * (1 - FILES)), AT_ONCE, async (input, worker) => {
    const driver = drivers[worker]
    if (!driver) throw new Error(`no driver ${worker}`)
    const chance = chanceOf(input)
    const before = done[worker] ?? 0
    done[worker] = before + 1
    if (before % AN_ACCOUNT === AN_ACCOUNT - 1) {
      await driver.prepare()
      if (worker === 0) await Driver.sweep(server, drivers)
    }
    const wrong = await (chance.is(0.8) ? driver.http(chance) : driver.socket(chance))
    if (wrong !== undefined) throw new Error(`${repeat(input)}\n${wrong}`)
  })
  expect(server.stderr()).not.toMatch(/^ {4}at /m)
  expect((await server.control('GET', '/health'))?.status).toBe(200)
  const statuses = new Map<number, number>()
  for (const driver of drivers)
    for (const [status, times] of driver.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times)
  // Requests that are refused for their form alone would show little.
  const succeeded = [...statuses].filter(([status]) => status >= 200 && status < 300)
  const count = succeeded.reduce((sum, [, times]) => sum + times, 0)
  if (INPUTS >= 1000) expect(count).toBeGreaterThan(20)
  if (INPUTS > 1000) console.log('answers by status', Object.fromEntries([...statuses].sort()))
})
