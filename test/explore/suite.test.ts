import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'
import { isLong } from '../support/long-form.ts'

const WITHIN_MS = 240_000
const APPS = fileURLToPath(new URL('apps', import.meta.url))
const SMALL = join(APPS, 'suites/small.mjs')

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'paysim-suite-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

const paysim = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand(args, { cwd: tmpdir(), env: { ...cleanEnvironment(tmpdir()), ...env } })

const explore = (flags: readonly string[], words: readonly string[]) =>
  paysim(['explore', '--suite', ...flags, '--', 'node', SMALL, ...words])

test('a test command that a disturbance breaks is a finding, saved as a file that repeats it', {
  timeout: WITHIN_MS,
}, async () => {
  const save = await folder()
  const only = ['--only', 'webhook-twice,webhook-early,answer-unknown-field']
  const flags = [...only, '--save', save, '-o', 'json']
  const { code, stdout, stderr } = await explore(flags, ['ships-twice'])
  expect(code, stderr).toBe(10)
  const [report] = JSON.parse(stdout).explorations
  expect(report.plain.calls).toEqual([{ call: 'POST /payment_intents', step: 1, status: 201 }])
  expect(report.tries.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    ...['failed', 'not_met', 'survived'],
  ])
  // The payment ends only when the clock is moved, so no event can come before the answer.
  expect(stderr).toContain('This command has no place for webhook-early.')
  const [finding] = report.findings
  expect(finding).toMatchObject({ kinds: ['webhook-twice'], failed: 3, of: 3 })
  expect(finding.places[0].description).toBe('webhook-twice payment.succeeded for tea of default.test')
  expect(finding.output.join('\n')).toContain('AssertionError')
  expect(await readdir(save)).toEqual(['suite-webhook-twice.yaml'])

  const file = join(save, 'suite-webhook-twice.yaml')
  const again = await explore(['--repeat', file], ['ships-twice'])
  expect(again).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('for tea again, and answered 200'),
  })
  expect((await explore(['--repeat', file], [])).code).toBe(0)
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('reference: tea', 'reference: coffee'))
  expect(await explore(['--repeat', file], [])).toMatchObject({
    code: 8,
    stdout: expect.stringContaining('nothing was disturbed'),
  })
})

test.each([
  [
    'call-lost-answer',
    'has-no-key',
    'it made 2 payments with the merchant_reference tea, and 2 in all instead of 1',
  ],
  [
    'webhook-twice',
    'fails-over-a-duplicate',
    'it answered 500 to a valid webhook payment.succeeded that came again: known',
  ],
])(
  '%s shows what the gateway sees, though the tests of a shop that %s pass',
  {
    timeout: WITHIN_MS,
  },
  async (kind, word, message) => {
    const save = await folder()
    const found = await explore(['--only', kind, '--save', save], [word])
    expect(found, found.stderr).toMatchObject({
      code: 10,
      stdout: expect.stringContaining(`${kind}: ${message}`),
    })
    const file = join(save, `suite-${kind}.yaml`)
    const again = await explore(['--repeat', file], [word])
    expect(again).toMatchObject({ code: 10, stdout: expect.stringContaining(message) })
  },
)

test('a test command that survives does so as far as its tests look and the gateway sees', {
  timeout: WITHIN_MS,
}, async () => {
  const { code, stdout } = await explore(['--only', 'webhook-twice'], [])
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('survived all of them, as far as its tests look and the gateway sees.'),
  ])
})

test('the headline says what failed, and is not the label of a value', {
  timeout: WITHIN_MS,
}, async () => {
  const flags = ['--only', 'webhook-twice', '--save', await folder()]
  const { stdout } = await explore(flags, ['ships-twice', 'tells-by-labels'])
  expect(stdout).toContain('exited with 1: not ok 1 - the order is shipped once')
})

test('two plain runs that differ are explored only if that is tolerated', {
  timeout: WITHIN_MS,
}, async () => {
  const save = await folder()
  const flags = ['--only', 'webhook-twice', '--save', save]
  const strict = await explore(flags, ['ships-twice', 'random'])
  expect(strict).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('the merchant_reference of records, such as tea-0.'),
  })
  const tolerant = await explore([...flags, '--tolerate'], ['ships-twice', 'random'])
  expect(tolerant).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('webhook-twice payment.succeeded of default.test'),
  })
})

test.skipIf(!isLong)(
  'the suite of vitest notices that an order was not accepted (in the long form)',
  { timeout: WITHIN_MS },
  async () => {
    const file = join(await folder(), 'found.yaml')
    const place = { call: 'POST /payment_intents', account: 'account 1', reference: 'cup' }
    const found = { disturbances: [{ disturb: 'answer-unknown-field', ...place }] }
    await writeFile(file, JSON.stringify(found))
    const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
    const repeat = (...shop: string[]) =>
      paysim(
        ['explore', '--suite', '--repeat', file, '--', 'node', vitest, 'run', '--root', join(APPS, 'suites')],
        { SHOP: JSON.stringify(['node', ...shop]) },
      )
    const wrong = await repeat(join(APPS, 'wrong.mjs'), 'refuses-unknown-members')
    expect(wrong).toMatchObject({ code: 10, stdout: expect.stringContaining('/orders was answered 502') })
    const right = await repeat(join(APPS, 'right.mjs'), 'by-state')
    expect(right.code, right.stdout).toBe(0)
  },
)

test('what belongs to a test command is refused without one', async () => {
  const without = await paysim(['explore', '--tolerate', 'story.yaml'])
  expect(without).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--tolerate is for a test command: add --suite'),
  })
  const late = await paysim(['explore', '--suite', '--only', 'webhook-late', '--', 'true'])
  expect(late).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--suite does not try webhook-late: the event would come later'),
  })
  const nothing = await paysim(['explore', '--suite'])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('no test command was given') })
})
