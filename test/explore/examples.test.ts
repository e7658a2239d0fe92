import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runBinary } from '../support/gateway/server.ts'
import { isLong, testInLongForm } from '../support/long-form.ts'

/** Whole explorations begin many processes: on a machine with ten times more to do than it can, two take a minute. */
const WITHIN_MS = 240_000

const EXAMPLES = 'scenarios/explore'
/** Each kind of example mistake once in the long form, and otherwise one of each side; all kinds take minutes. */
const KINDS = isLong
  ? 'webhook-twice,webhook-lost-answer,webhook-forged,call-refused,answer-unknown-field'
  : 'webhook-twice,call-refused'

async function explore(command: readonly string[], flags: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-examples-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const saved = join(folder, 'found')
  const report = join(folder, 'report.json')
  const reporting = ['--save', saved, '--report', `json=${report}`]
  const args = ['explore', `${EXAMPLES}/orders.yaml`, ...reporting, ...flags, '--', ...command]
  return { ...(await runBinary(args)), saved, report: await readFile(report, 'utf8') }
}

/** As many runs as there are places: no pairs. */
const singles = ['--only', KINDS, '--runs', isLong ? '10' : '4']

test('the shop in Node survives', { timeout: WITHIN_MS }, async () => {
  const { code, stdout } = await explore(['node', `${EXAMPLES}/shop.mjs`], singles)
  expect(code, stdout).toBe(0)
})

const python = spawnSync('python3', ['--version']).status === 0
describe.skipIf(!python)(`the shop in Python${python ? '' : ' (no python3 on this machine)'}`, () => {
  testInLongForm('survives', WITHIN_MS, async () => {
    const { code, stdout } = await explore(['python3', `${EXAMPLES}/shop.py`], singles)
    expect(code, stdout).toBe(0)
  })
})

const WRONG_SHOP = ['node', `${EXAMPLES}/wrong-shop.mjs`]
const SEEDED = ['--only', 'webhook-twice', '--runs', '2', '--seed', '7']

/** All of a report that does not depend on how fast the machine is, and where it was saved. */
function seen(report: string) {
  const { kinds, places, tries, findings } = JSON.parse(report).explorations[0]
  return {
    kinds,
    places,
    tries: tries.map(({ took_ms: _, ...rest }: Record<string, unknown>) => rest),
    // Where they are saved is another folder each time.
    findings: findings.map(({ saved: _, repeat: __, ...rest }: Record<string, unknown>) => rest),
  }
}

test('the wrong shop ships twice, as the README shows', { timeout: WITHIN_MS }, async () => {
  const { code, stdout, saved } = await explore(WRONG_SHOP, SEEDED)
  expect(code).toBe(10)
  expect(await readdir(saved)).toEqual(['orders-webhook-twice.yaml'])
  const readme = await readFile('README.md', 'utf8')
  const [, shown = ''] = /```text\n(webhook-twice:[\s\S]*?)```/.exec(readme) ?? []
  const lines = shown.trim().split('\n')
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(stdout).toContain(line.trim())
  const file = join(saved, 'orders-webhook-twice.yaml')
  expect((await runBinary(['run', file])).code).toBe(10)

  // About an event that never comes, the same file passes and shows nothing.
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/event: payment\.\w+/, 'event: payout.failed'))
  const unmet = await runBinary(['run', file, '--quiet'])
  expect(unmet).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('! webhook-twice payout.failed did not happen'),
  })
})

testInLongForm('the same seed finds and saves the same', WITHIN_MS, async () => {
  // Both wait most of the time: each failing run gives the shop five seconds to become right.
  const runs = await Promise.all([explore(WRONG_SHOP, SEEDED), explore(WRONG_SHOP, SEEDED)])
  const files = async (folder: string) =>
    Promise.all(
      (await readdir(folder)).sort().map(async name => [name, await readFile(join(folder, name), 'utf8')]),
    )
  const [one, other] = await Promise.all(runs.map(async ({ saved }) => files(saved)))
  expect(one?.map(([name]) => name)).toEqual(['orders-webhook-twice.yaml'])
  expect(other).toEqual(one)
  const [first, second] = runs.map(({ report }) => seen(report))
  expect(first?.places).toHaveLength(2)
  expect(second).toEqual(first)
})
