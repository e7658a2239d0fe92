import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'

const app = (name: string) => fileURLToPath(new URL(`apps/${name}`, import.meta.url))

async function explore(story: string, command: readonly string[], ...flags: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-explore-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const args = ['explore', app(story), '--save', folder, '-o', 'json', ...flags, '--', 'node', ...command]
  const { code, stdout, stderr } = await runCommand(args, { cwd: tmpdir(), env: cleanEnvironment(tmpdir()) })
  const [report] = JSON.parse(stdout).explorations
  return { code, report, stderr }
}

test('a shop whose orders are stuck after an outage of the gateway is found, by its answer to the second press', {
  timeout: 240_000,
}, async () => {
  const flags = ['--only', 'call-outage', '--runs', '3']
  const stuck = await explore('payer.yaml', [app('wrong-payer.mjs'), 'refuses-what-has-no-payment'], ...flags)
  expect(stuck.code, stuck.stderr).toBe(10)
  expect(stuck.report.findings).toMatchObject([
    { kinds: ['call-outage'], message: 'call app POST /orders: status is 409, not 201', failed: 3, of: 3 },
  ])
  const right = await explore('payer.yaml', [app('right.mjs'), 'shows-at-the-return'], ...flags)
  expect(right.code, JSON.stringify(right.report.findings)).toBe(0)
  expect(right.report.kinds).toMatchObject([{ kind: 'call-outage', places: 3, tried: 3, not_met: 0 }])
})

test('a shop with a state machine and a queue is right, and a task that is tried once is one finding', {
  timeout: 240_000,
}, async () => {
  const explored = (style: string, kinds: string) =>
    explore('checkout.yaml', [app('machine-shop.mjs'), style], '--only', kinds, '--runs', '9')
  const { code, report } = await explored('right', 'call-outage,return-early,click-again')
  expect(code, JSON.stringify(report.findings)).toBe(0)
  // What a restart loses of a queue in memory depends on the moment, so the proof page counts it instead.
  const wrong = await explored('a-task-that-is-tried-once', 'call-503')
  expect(wrong.report.findings).toMatchObject([{ kinds: ['call-503'] }])
})
