import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accountOnDisk, fillWith } from '../support/engine/account-on-disk.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { Driver } from '../support/fuzz/driver.ts'
import { corpusFrom, type FileKind, fileKinds } from '../support/fuzz/files.ts'
import { operationsOf } from '../support/fuzz/requests.ts'
import { openAccount } from '../support/gateway/merchant.ts'
import { ownServer } from '../support/gateway/shared-server.ts'
import { createPayment, trigger } from '../support/payments/payments.ts'
import { addPayouts } from '../support/payments/payouts.ts'

/**
 * Damaged requests, bytes and files. `npm run fuzz -- --inputs N --seed S` makes it longer; each input follows from the
 * seed and its number, which a failure prints.
 */
const INPUTS = Number(process.env.PAYSIM_FUZZ_INPUTS ?? 1000)
const SEED = Number(process.env.PAYSIM_FUZZ_SEED ?? 1)
const FIRST = Number(process.env.PAYSIM_FUZZ_FIRST ?? 0)
const AT_ONCE = 4
/** A file is read in this time; a scenario with 30 steps takes a hundredth of it. */
const LONGEST_READ_MS = 1000
const WHOLE_MS = INPUTS <= 1000 ? 300_000 : 24 * 3_600_000

const chanceOf = (input: number) => new Chance(SEED * 2_654_435_761 + input)
const repeat = (input: number) => `input ${input}: npm run fuzz -- --seed ${SEED} --first ${input} --inputs 1`

/** The number of each input from FIRST on, for so many workers at once. */
async function forEachInput(count: number, atOnce: number, act: (input: number) => Promise<void>) {
  let next = FIRST
  const work = async () => {
    while (next < FIRST + count) await act(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

test('damaged requests and bytes bring no 5xx, no exit and no hang', { timeout: WHOLE_MS }, async () => {
  const server = await ownServer({ args: ['--durability', 'process', '--seed', '1'] })
  const [merchant, control] = await Promise.all(
    ['/openapi.json', '/control.json'].map(async path =>
      operationsOf((await server.control('GET', path)).body),
    ),
  )
  const isEndless = ({ path }: { path: string }) => path.endsWith('/stream')
  const controlCalls = (control ?? [])
    .map(operation => ({ ...operation, path: operation.path.replace(/^\/_paysim/, '') }))
    .filter(operation => !isEndless(operation))
  const driver = new Driver(server, merchant ?? [], controlCalls)
  onTestFinished(() => driver.close())
  await driver.prepare()
  await forEachInput(Math.ceil(INPUTS * 0.6), AT_ONCE, async input => {
    const chance = chanceOf(input)
    if (input % 500 === 499) await driver.prepare()
    const wrong = await (chance.is(0.8) ? driver.http(chance) : driver.socket(chance))
    if (wrong !== undefined) throw new Error(`${repeat(input)}\n${wrong}`)
  })
  expect(server.stderr()).not.toMatch(/^ {4}at /m)
  expect((await server.control('GET', '/health')).status).toBe(200)
  // Requests that are refused for their form alone would show little.
  const succeeded = [...driver.statuses].filter(([status]) => status >= 200 && status < 300)
  const count = succeeded.reduce((sum, [, times]) => sum + times, 0)
  if (INPUTS >= 1000) expect(count).toBeGreaterThan(20)
  if (INPUTS > 1000) console.log('answers by status', Object.fromEntries([...driver.statuses].sort()))
})

test('damaged files are read or refused in words', { timeout: WHOLE_MS }, async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  for (let at = 0; at < 3; at++) await trigger(account, (await createPayment(account)).id, 'succeed')
  await addPayouts(account, 3)
  await server.stop()
  const folder = await mkdtemp(join(tmpdir(), 'paysim-fuzz-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const withPast = await temporaryDirectory()
  const filled = await accountOnDisk(withPast)
  await fillWith(filled, 11)
  await filled.account.close()
  const kinds = fileKinds(await corpusFrom(server.dataDir, account.id, withPast), folder)
  const { XDG_CONFIG_HOME: before } = process.env
  onTestFinished(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME
    else process.env.XDG_CONFIG_HOME = before
  })
  await forEachInput(Math.ceil(INPUTS * 0.4), 1, async number => {
    const chance = chanceOf(number)
    const kind = chance.of(kinds)
    const { input, read } = await kind.try(chance)
    const ms = await timed(read, kind, number, input)
    if (ms > LONGEST_READ_MS && (await timed(read, kind, number, input)) > LONGEST_READ_MS)
      throw new Error(`${kind.name} took ${Math.round(ms)} ms, ${repeat(number)}\n${input}`)
  })
})

async function timed(read: () => Promise<void>, { name }: FileKind, number: number, input: string) {
  // Time on the processor: a busy machine makes everything else longer.
  const from = process.cpuUsage()
  try {
    await read()
  } catch (cause) {
    throw new Error(`${name}, ${repeat(number)}\n${input.slice(0, 4000)}`, { cause })
  }
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}
