import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'
import { testInLongForm } from '../support/long-form.ts'
import { pngImage } from '../support/payments/images.ts'

/** A whole exploration begins many processes: on a machine with ten times more to do than it can, it takes a minute. */
const WITHIN_MS = 240_000

const APPS = fileURLToPath(new URL('apps', import.meta.url))

const paysim = (args: readonly string[]) =>
  runCommand(args, { cwd: tmpdir(), env: cleanEnvironment(tmpdir()) })

async function explore(
  kinds: string,
  command: readonly string[],
  flags: readonly string[] = [],
  name = 'story.yaml',
) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-explore-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(APPS, folder, { recursive: true })
  await writeFile(join(folder, 'slip.png'), pngImage(1))
  const saved = join(folder, 'found')
  const story = join(folder, name)
  // One process for all tries, where the shop keeps its orders apart: to begin one for each was most of the time. The story
  // of four orders is explored with a process for each.
  const steps = await readFile(join(APPS, name), 'utf8')
  const app = name === 'story.yaml' ? 'app:\n' : 'app:\n  fresh: never\n'
  await writeFile(story, `${steps.replace('app:\n', app)}  - { upload asset: other, file: slip.png }\n`)
  const args = ['explore', story, '--only', kinds, '--save', saved, ...flags, '--']
  const { code, stdout, stderr } = await paysim([
    ...args,
    'node',
    join(folder, command[0] ?? ''),
    ...command.slice(1),
  ])
  return { code, stdout, stderr, saved }
}

test('a shop that ships at each event is found, and a scenario that fails again is saved', {
  timeout: WITHIN_MS,
}, async () => {
  const flags = ['--runs', '1', '-o', 'json']
  const { code, stdout, stderr, saved } = await explore(
    'webhook-twice',
    ['wrong.mjs', 'ships-at-each-event'],
    flags,
  )
  expect(code, stderr).toBe(10)
  const [report] = JSON.parse(stdout).explorations
  expect(report.findings[0]).toMatchObject({ kinds: ['webhook-twice'], failed: 3, of: 3, flaky: false })
  expect(report.plain.webhooks).toHaveLength(5)
  expect(report.tries.length).toBeGreaterThan(0)
  const [file = ''] = (await readdir(saved)).filter(name => name.endsWith('.yaml'))
  expect(await readFile(join(saved, file), 'utf8')).toMatch(
    /step \d, 2030-01-01T00:\d\d:\d\d.000Z: it was sent payment.succeeded for \$\{run\}-c again, and answered 200/,
  )
  const again = await paysim(['run', join(saved, file)])
  expect(again.code).toBe(10)
  expect(again.stdout).toMatch(/shipments[\s\S]*- 1\n\s+\+ 2/)
})

testInLongForm('a correct shop is not blamed by any single disturbance', WITHIN_MS, async () => {
  // As many runs as there are places: each single disturbance, and no pairs.
  const kinds = 'webhook-twice,call-lost-answer,answer-unknown-field'
  const { code, stdout, stderr } = await explore(kinds, ['right.mjs', 'by-state'], ['--runs', '13'])
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toContain('The application survived all of them.')
})

testInLongForm(
  'a second payment with the same reference is no fault, if there is one without a disturbance too',
  WITHIN_MS,
  async () => {
    const by = (app: string, style: string) =>
      explore('webhook-twice', [app, style], ['--runs', '2'], 'second-try.yaml')
    for (const style of ['second-try', 'second-try-re-reading']) {
      const { code, stdout, stderr } = await by('right.mjs', style)
      expect(code, stdout + stderr).toBe(0)
      expect(stdout).toContain('The application survived all of them.')
    }
    // A scenario that a wrong shop leaves passes with a right one.
    const { code, stdout, saved } = await by('wrong.mjs', 'ships-at-each-event-of-two-tries')
    expect(code).toBe(10)
    expect(stdout).toMatch(/webhook-twice: .*shipments is 2, not 1/)
    const [file = ''] = (await readdir(saved)).filter(name => name.endsWith('.yaml'))
    expect(await readFile(join(saved, file), 'utf8')).toContain('2 payments ${run}-a')
    const right = await paysim([
      'run',
      join(saved, file),
      '--',
      'node',
      join(APPS, 'right.mjs'),
      'second-try',
    ])
    expect(right.code, right.stdout + right.stderr).toBe(0)
  },
)

test('a shop that reads the payment at any knock is not blamed for a forgery after which it knew the truth', {
  timeout: WITHIN_MS,
}, async () => {
  const knocks = ['right.mjs', 'second-try-at-any-knock']
  const kinds = 'webhook-forged,webhook-unsigned,webhook-stale'
  const { code, stdout, stderr } = await explore(kinds, knocks, ['--runs', '6'], 'second-try.yaml')
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toMatch(/✓ webhook-forged 2\n[\s\S]*The application survived all of them/)
})

test('an event that comes when the story has gone on must not undo what came after it', {
  timeout: WITHIN_MS,
}, async () => {
  const late = (app: string, style: string) =>
    explore('webhook-late', [app, style], ['--runs', '7'], 'second-try.yaml')
  const { code, stdout, stderr, saved } = await late('wrong.mjs', 'undone-by-a-late-failure')
  expect(code, stdout + stderr).toBe(10)
  expect(stdout).toMatch(/webhook-late: .*status is "failed", not "paid"/)
  expect(stdout).toContain('payment.failed in step 2 after 3 lost attempts while the story goes on')
  const [file = ''] = (await readdir(saved)).filter(name => name.endsWith('.yaml'))
  expect((await paysim(['run', join(saved, file)])).code).toBe(10)
  // A shop that lacks the event returns to the old payment, and one that asks makes a second one.
  for (const style of ['second-try', 'second-try-asks-at-the-press']) {
    const right = await late('right.mjs', style)
    expect(right.code, right.stdout + right.stderr).toBe(0)
  }
})

test('an event comes first even for a queue, and the report shows what the application printed', {
  timeout: WITHIN_MS,
}, async () => {
  const drops = ['wrong.mjs', 'drops-unknown-payments-from-its-queue']
  const early = await explore('webhook-early', drops, ['--runs', '1'])
  expect(early.code, early.stdout + early.stderr).toBe(10)
  expect(early.stdout).toMatch(
    /was sent payment.succeeded .*, before its call was answered, and answered 202/,
  )
  expect(early.stdout).toMatch(/The application printed:\n\s+no order has the payment/)
})

test('what fails undisturbed too is one finding, and nothing that was disturbed is named as its cause', {
  timeout: WITHIN_MS,
}, async () => {
  const kinds = 'webhook-twice,webhook-late,webhook-lost-answer,webhook-unknown-field,webhook-forged,call-503'
  const flags = ['--runs', '10', '-o', 'json']
  const { code, stdout, stderr, saved } = await explore(
    kinds,
    ['by-run.mjs', 'loses-a-race'],
    flags,
    'one-order.yaml',
  )
  expect(code, stderr).toBe(10)
  const [{ findings }] = JSON.parse(stdout).explorations
  expect(findings).toMatchObject([{ kinds: [], places: [], guide: [] }])
  const [{ message, advice, failed, of, repeat }] = findings
  expect(message).toMatch(/^it fails undisturbed too, \d+ of \d+ times: .*shipments is 2, not 1$/)
  // Each fourth run.
  expect(failed / of).toBeGreaterThan(0.1)
  expect(failed / of).toBeLessThan(0.5)
  expect(advice[0]).toContain('with one guard for all ways in')
  expect(stderr).toMatch(/It also failed with (webhook|call)-\S+ \(\d of \d\)/)
  const file = (await readdir(saved)).find(name => name.endsWith('.yaml')) ?? ''
  expect(repeat).toBe(`paysim run ${join(saved, file)} --repeat ${Math.ceil((3 * of) / failed)}`)
  const again = await paysim(['run', join(saved, file)])
  expect(again.code, again.stdout).toBe(0)
})

test('a shop that ships at the return and at the webhook is found, and its scenario passes with a right shop', {
  timeout: WITHIN_MS,
}, async () => {
  const ships = ['wrong-payer.mjs', 'ships-for-both']
  const { code, stdout, stderr, saved } = await explore('return-early', ships, ['--runs', '1'], 'payer.yaml')
  expect(code, stdout + stderr).toBe(10)
  expect(stdout).toMatch(
    /the payer came back with GET \S+return, and it answered 200[\s\S]*was sent payment.succeeded/,
  )
  const [file = ''] = (await readdir(saved)).filter(name => name.endsWith('.yaml'))
  const again = await paysim(['run', join(saved, file)])
  expect(again.code).toBe(10)
  expect(again.stdout).toMatch(/shipments[\s\S]*- 1\n\s+\+ 2/)
  const right = ['node', join(APPS, 'right.mjs'), 'reads-at-the-return']
  const passes = await paysim(['run', join(saved, file), '--', ...right])
  expect(passes.code, passes.stdout + passes.stderr).toBe(0)
})

test('a shop that makes a payment at each press of the button is found', { timeout: WITHIN_MS }, async () => {
  const orders = ['wrong-payer.mjs', 'orders-again']
  const { code, stdout, stderr } = await explore('click-again', orders, ['--runs', '1'], 'payer.yaml')
  expect(code, stdout + stderr).toBe(10)
  expect(stdout).toContain('click-again: it made 2 payments with the merchant_reference ${run}-a')
})

testInLongForm(
  'no shop is blamed for what it may do when a payer comes back, or presses twice',
  WITHIN_MS,
  async () => {
    // As many runs as there are places: each single disturbance, and no pairs.
    const kinds =
      'return-early,return-at-once,return-twice,return-never,return-prefetch,click-twice,click-again'
    const shows = ['right.mjs', 'shows-at-the-return']
    const flags = ['--runs', '21', '-o', 'json']
    const { code, stdout, stderr } = await explore(kinds, shows, flags, 'payer.yaml')
    expect(code, stdout + stderr).toBe(0)
    const [{ kinds: counts }] = JSON.parse(stdout).explorations
    for (const { tried, not_met } of counts) expect([tried, not_met]).toEqual([3, 0])
  },
)

testInLongForm('a payer who decides, and of whom no step says more, comes back too', WITHIN_MS, async () => {
  const reload = ['wrong-payer.mjs', 'fails-over-a-reload']
  const { code, stdout, stderr, saved } = await explore(
    'return-twice',
    reload,
    ['--runs', '1'],
    'implied.yaml',
  )
  expect(code, stdout + stderr).toBe(10)
  const [file = ''] = (await readdir(saved)).filter(name => name.endsWith('.yaml'))
  expect(await readFile(join(saved, file), 'utf8')).toContain(
    '- disturb: return-twice\n    payment: ${a.payment}',
  )
  expect((await paysim(['run', join(saved, file)])).code).toBe(10)
})

/** One deposit, whose second receipt is sent when the first is rejected; time runs until the payment would expire. */
const LONG_WAIT = {
  paysim: 1,
  name: 'a long wait',
  provider: [
    {
      receipt: [
        { after: '5s', verdict: 'reject' },
        { after: '5s', verdict: 'accept' },
      ],
      outcome: { after: '10s', status: 'succeeded' },
    },
  ],
  app: {
    fresh: 'never',
    webhooks: '/webhooks',
    events: ['payment.updated', 'payment.succeeded', 'payment.expired'],
  },
  steps: [
    {
      'call app': 'POST /deposits',
      json: { reference: '${run}-d', amount: '70000', method: 'th_bank_transfer' },
      expect: { status: 201 },
    },
    { 'call app': 'POST /deposits/${run}-d/slip', expect: { status: 202 } },
    { advance: { until: 'idle', max: '7d' } },
    { 'expect app': 'GET /deposits/${run}-d', is: { status: 'credited', slips: 2 } },
  ],
}

testInLongForm('no application is blamed for an event that arrives too late', WITHIN_MS, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-explore-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const story = join(folder, 'wait.json')
  await writeFile(story, JSON.stringify(LONG_WAIT))
  // As many runs as there are places. The rejection comes 75 hours late, and the payment has expired after 72.
  const flags = ['--only', 'webhook-late', '--runs', '15', '--save', folder]
  const shop = ['node', join(APPS, 'wallet.mjs'), 'transaction-log']
  const { code, stdout, stderr } = await paysim(['explore', story, ...flags, '--', ...shop])
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toContain('webhook-late 15  1 could not be judged')
})

test('a plain run that fails ends with 2 and says why', async () => {
  const { code, stdout } = await paysim([
    'explore',
    join(APPS, 'story.yaml'),
    '--',
    'node',
    '-e',
    'process.exit(3)',
  ])
  expect(code).toBe(2)
  expect(stdout).toContain('ended with exit code 3 before it was ready')
})

test('--kinds lists the kinds, and an unknown kind is refused', async () => {
  const { stdout } = await paysim(['explore', '--kinds'])
  expect(stdout.trim().split('\n')).toHaveLength(26)
  const { code, stderr } = await paysim(['explore', 'x.yaml', '--only', 'webhook-twise'])
  expect(code).toBe(2)
  expect(stderr).toContain('webhook-twice')
})

test('run --no-app does not start the application of a file, and refuses the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-explore-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const story = join(folder, 'marks.json')
  const start = ['node', '-e', 'require("node:fs").writeFileSync("mark", "")']
  await writeFile(story, JSON.stringify({ paysim: 1, name: 'marks', app: { start }, steps: [] }))
  const refused = await paysim(['run', '--no-app', story])
  expect(refused.code, refused.stdout).toBe(2)
  expect(refused.stdout + refused.stderr).toContain('--no-app forbids it')
  expect(await readdir(folder)).toEqual(['marks.json'])
  const started = await paysim(['run', story])
  expect(await readdir(folder), started.stdout + started.stderr).toEqual(['mark', 'marks.json'])
})

test('run refuses --no-app together with a command', async () => {
  const { code, stderr } = await paysim([
    'run',
    '--no-app',
    join(APPS, 'story.yaml'),
    '--',
    'node',
    'shop.mjs',
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('--no-app')
})
