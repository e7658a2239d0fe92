import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadEach, pickOnly, scenariosOf } from '../../src/cli/scenario/load-files.ts'
import { runBinary } from '../support/gateway/server.ts'
import { fileServer, ownServer } from '../support/gateway/shared-server.ts'
import { BINARY } from '../support/paysim-binary.ts'
import { BAD, GOOD, paysim, workspace } from '../support/scenario/workspace.ts'

/** It waits for what will not come, on a clock that nobody moves. */
const LONG = GOOD.replace('name:', 'clock: real\nname:').replace(
  'is: { status: pending }',
  'is: { status: succeeded }',
)

describe('a run', () => {
  test('ends with 0 when all is as expected, and shows each step', async () => {
    const { at } = await workspace({ 'good.yaml': GOOD })
    const { code, stdout, stderr } = await paysim(['run', at('good.yaml')])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('✓ A payment & its <reading>')
    expect(stdout).toMatch(/\+0s ✓ create payment 9900 THB th_promptpay order-1/)
    expect(stdout).toContain('1 scenario passed')
  })

  test('ends with 10 when an expectation fails, and shows the diff, request, history and line', async () => {
    const { at } = await workspace({ 'bad.yaml': BAD })
    const { code, stdout } = await paysim(['run', at('bad.yaml')])
    expect(code).toBe(10)
    expect(stdout).toContain('✗ A payment that is not so')
    expect(stdout).toContain(`status  ${at('bad.yaml')}:11:11`)
    expect(stdout).toMatch(/- succeeded\n\s+\+ pending/)
    expect(stdout).toMatch(/request\n\s+GET http:\S+\/payment_intents\/pi_/)
    expect(stdout).toMatch(/history\n[\s\S]*ActionPresented \(merchant\)/)
    expect(stdout).not.toContain('Basic ')
    expect(stdout).toContain('1 of 1 scenario failed')
  })

  test('runs folders with several jobs, and with --quiet shows only what failed', async () => {
    const { folder } = await workspace({
      'a.yaml': GOOD,
      'b.yml': BAD,
      'c.scenario.json': '{"paysim":1,"name":"nothing"}',
      'other.json': '{}',
    })
    const { code, stdout } = await paysim(['run', folder, '--jobs', '3', '--quiet'])
    expect(code).toBe(10)
    expect(stdout).not.toContain('✓ A payment & its')
    expect(stdout).toContain('1 of 3 scenarios failed')
  })

  test('ends with 2 when no file can be run, and starts nothing', async () => {
    const { folder, at } = await workspace({ 'b.yaml': `${GOOD}  - advanse: 5s\n`, 'c.yaml': 'paysim: 1' })
    const { code, stdout, stderr } = await paysim(['run', folder])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.trim().split('\n')).toEqual([
      `${at('b.yaml')}:10:5: advanse is not a step; did you mean advance?`,
      `${at('c.yaml')}:1:1: name is required`,
    ])
  })

  test.each([
    [['run'], 'missing required argument'],
    [['run', 'nowhere.yaml'], 'nowhere.yaml does not exist'],
    [['run', 'package.json', '--jobs', '0'], 'It must be a whole number, 1 or more.'],
    [['run', 'package.json', '--repeat', '0'], 'It must be a whole number, 1 or more.'],
    [['run', 'package.json', '--seed', 'x'], 'It must be a whole number.'],
    [
      ['run', 'scenarios/qr-code.yaml', '--base-url', 'http://127.0.0.1:9', '--seed', '1'],
      '--seed needs a simulator',
    ],
    [['run', 'package.json', '--report', 'pdf=x'], 'It must be one of junit, tap, json, html'],
    [['run', 'README.md'], 'README.md is not a .yaml, .yml or .json file'],
    [['run', 'docs'], 'docs contains no scenarios'],
  ])('%s is refused', async (args, message) => {
    const { code, stderr } = await paysim(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('reports', () => {
  test('junit, tap and json, all at once', async () => {
    const { folder, at, read } = await workspace({ 'a.yaml': GOOD, 'b.yaml': BAD })
    const reports = [`junit=${at('out/report.xml')}`, `json=${at('report.out')}`, 'tap'].flatMap(one => [
      '--report',
      one,
    ])
    const { code, stdout, stderr } = await paysim(['run', folder, ...reports])
    expect(code).toBe(10)
    expect(stdout).toMatch(/^TAP version 14\n1\.\.2\nok 1 - A payment & its <reading> \(/)
    expect(stdout).toMatch(
      /not ok 2 - A payment that is not so[\s\S]*?\n {2}---\n[\s\S]*at: ".*b\.yaml:11:11"[\s\S]*\n {2}\.\.\.\n$/,
    )
    // What is for people stays out of what is for programs.
    expect(stderr).toContain('1 of 2 scenarios failed')

    const xml = await read('out/report.xml')
    expect(xml).toContain('<testsuite name="paysim" tests="2" failures="1" errors="0"')
    expect(xml).toContain('name="A payment &amp; its &lt;reading&gt;"')
    expect(xml.match(/<failure message=/g)).toHaveLength(1)

    const report = JSON.parse(await read('report.out'))
    expect(report).toMatchObject({ ok: false, scenarios: 2, failed: 1 })
    const [good, bad] = report.results
    expect(good).toMatchObject({ ok: true, clock: 'virtual', steps: { length: 3 } })
    expect(bad.steps.at(-1)).toMatchObject({
      step: 'expect payment',
      line: 10,
      ok: false,
      failure: {
        line: 11,
        mismatches: [{ subject: 'status', expected: 'succeeded', actual: 'pending', line: 11 }],
      },
    })
  })
})

describe('a file that cannot be run', () => {
  const broken = `paysim: 1\nname: Broken, and\nsteps:\n  - advanse: 5s\n  - { expect payments: x }\n`

  test('ends the run with 2 when all others pass', async () => {
    const { folder, at } = await workspace({ 'a.yaml': GOOD, 'broken.yaml': broken, 'c.yaml': GOOD })
    const { code, stdout, stderr } = await paysim(['run', folder])
    expect(code, stderr).toBe(2)
    expect(stdout.match(/✓ A payment & its/g)).toHaveLength(2)
    const problems = [
      `${at('broken.yaml')}:4:5: advanse is not a step; did you mean advance?`,
      `${at('broken.yaml')}:5:7: expect payments is not a step; did you mean expect payment?`,
    ]
    expect(stdout).toContain(`✗ Broken, and  cannot be run: 2 problems\n  ${problems.join('\n  ')}\n`)
    expect(stdout).toContain('1 of 3 scenarios cannot be run')
    expect(stderr).toBe(`${problems.join('\n')}\n`)
  })

  test('ends the run with 10 when an expectation fails too', async () => {
    const { folder } = await workspace({ 'a.yaml': BAD, 'broken.yaml': broken, 'c.yaml': GOOD })
    const { code, stdout } = await paysim(['run', folder])
    expect(code).toBe(10)
    expect(stdout).toContain('1 of 3 scenarios failed, 1 cannot be run')
  })

  test.each([
    ['with others', GOOD],
    ['alone', undefined],
  ])('is a failure in every report, %s', async (_, other) => {
    const { folder, at, read } = await workspace({
      ...(other ? { 'a.yaml': other } : {}),
      'broken.yaml': broken,
    })
    const reports = [`junit=${at('r.xml')}`, `tap=${at('r.tap')}`, `json=${at('r.out')}`].flatMap(one => [
      '--report',
      one,
    ])
    expect((await paysim(['run', folder, ...reports])).code).toBe(2)
    const xml = await read('r.xml')
    expect(xml).toContain(`tests="${other ? 2 : 1}" failures="1"`)
    expect(xml).toMatch(
      /name="Broken, and".*\n<failure message="cannot be run: 2 problems \(.*broken\.yaml:4\)">/,
    )
    expect(xml).toContain('broken.yaml:5:7: expect payments is not a step')
    const tap = await read('r.tap')
    expect(tap).toMatch(/not ok \d - Broken, and \(/)
    expect(tap).toMatch(/at: ".*broken\.yaml:4:5"[\s\S]*broken\.yaml:5:7: expect payments is not a step/)
    const report = JSON.parse(await read('r.out'))
    expect(report.results.at(-1)).toMatchObject({
      file: at('broken.yaml'),
      name: 'Broken, and',
      ok: false,
      problems: [
        { line: 4, column: 5, message: 'advanse is not a step; did you mean advance?' },
        { line: 5, column: 7 },
      ],
    })
  })
})

describe('on GitHub Actions', () => {
  const actions = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '' }
  const marks = (text: string) => text.split('\n').filter(line => line.startsWith('::'))

  test('marks failures in the files, by paths from the repository', async () => {
    const { folder } = await workspace({
      'a,b.yaml': BAD.replace('A payment that is not so', '"A payment 100%: not so, and"'),
      'broken.yaml': 'paysim: 1\nname: x\nsteps:\n  - advanse: 5s\n  - { expect payments: x }\n',
      'good.yaml': GOOD,
    })
    const run = await runBinary(['run', '.'], { cwd: folder, env: actions })
    expect(run.code).toBe(10)
    const [bad = '', ...others] = marks(run.stdout)
    expect(bad).toMatch(
      /^::error file=a%2Cb\.yaml,line=11,col=11,title=A payment 100%25%3A not so%2C and::expect payment /,
    )
    expect(bad).toContain('%0A  - succeeded%0A  + pending')
    expect(others).toEqual([
      '::error file=broken.yaml,line=4,col=5,title=x::advanse is not a step; did you mean advance?',
      '::error file=broken.yaml,line=5,col=7,title=x::expect payments is not a step; did you mean expect payment?',
    ])
    const inside = await runBinary(['run', 'good.yaml', 'broken.yaml', '--report', 'json=-'], {
      cwd: folder,
      env: { ...actions, GITHUB_WORKSPACE: dirname(folder) },
    })
    expect(() => JSON.parse(inside.stdout)).not.toThrow()
    expect(marks(inside.stderr)[0]).toContain(`::error file=${basename(folder)}/broken.yaml,line=4,`)
  })

  test('marks the problems of a single file too, and marks nothing elsewhere', async () => {
    const { folder } = await workspace({ 'broken.yaml': 'paysim: 1\n' })
    const there = await runBinary(['run', 'broken.yaml'], { cwd: folder, env: actions })
    expect(marks(there.stdout)).toEqual([
      '::error file=broken.yaml,line=1,col=1,title=broken.yaml::name is required',
    ])
    const here = await runBinary(['run', 'broken.yaml'], { cwd: folder, env: { GITHUB_ACTIONS: '' } })
    expect(here.stdout).toBe('')
  })
})

describe('repeated runs', () => {
  const seeded = GOOD.replace('steps:', 'seed: 3\nsteps:')

  test('--repeat uses the next seed each time, --seed sets the first; a seed repeats its bytes', async () => {
    const { at, read } = await workspace({ 'a.yaml': seeded })
    const run = (to: string, ...flags: string[]) =>
      paysim(['run', at('a.yaml'), '--transcript', at(to), '--report', `json=${at(`${to}.out`)}`, ...flags])
    expect((await run('one/', '--repeat', '3', '--seed', '7')).code).toBe(0)
    expect((await run('two/', '--repeat', '3', '--seed', '7')).code).toBe(0)
    expect((await run('nine', '--seed', '9')).code).toBe(0)
    expect((await run('own/', '--repeat', '2')).code).toBe(0)
    const told = await Promise.all([1, 2, 3].map(nth => read(`one/a.${nth}.jsonl`)))
    expect(new Set(told).size).toBe(3)
    expect(await Promise.all([1, 2, 3].map(nth => read(`two/a.${nth}.jsonl`)))).toEqual(told)
    expect(await read('nine')).toBe(told[2])
    expect(JSON.parse(await read('one/.out')).results).toMatchObject([
      { turn: 1, of: 3, seed: 7 },
      { turn: 2, of: 3, seed: 8 },
      { turn: 3, of: 3, seed: 9 },
    ])
    expect(JSON.parse(await read('own/.out')).results).toMatchObject([{ seed: 3 }, { seed: 4 }])
  })

  test('each run is a separate case with its seed', async () => {
    const { folder, at, read } = await workspace({ 'a.yaml': BAD, 'b.yaml': GOOD })
    const { code, stdout } = await paysim([
      'run',
      folder,
      '--repeat',
      '2',
      '--report',
      `junit=${at('r.xml')}`,
    ])
    expect(code).toBe(10)
    expect(stdout).toContain('✗ A payment that is not so (2 of 2, seed 2)')
    expect(stdout).toContain('2 of 4 scenarios failed')
    expect(
      (await read('r.xml')).match(/<testcase .*?name="A payment that is not so \(\d of 2, seed \d\)"/g),
    ).toHaveLength(2)
  })
})

describe('--only', () => {
  const files = {
    'cancel-wins.yaml': GOOD.replace('A payment & its <reading>', 'A race that is won'),
    'cancel-loses.yaml': GOOD.replace('A payment & its <reading>', 'A race that is lost'),
    'broken.yaml': 'paysim: 1\nname: No race\nstepz: []\n',
  }

  test.each([
    [['cancel'], ['A race that is lost', 'A race that is won']],
    [['cancel-wins'], ['A race that is won']],
    [['IS LOST'], ['A race that is lost']],
    [['*-wins.yaml'], ['A race that is won']],
    [
      ['A race*won', 'cancel-l?ses'],
      ['A race that is lost', 'A race that is won'],
    ],
  ])('%s', async (words, names) => {
    const { folder } = await workspace(files)
    const picked = scenariosOf(pickOnly(await loadEach([folder]), words))
    expect(picked.map(({ data }) => data.name)).toEqual(names)
  })

  test('runs the scenarios that it names', async () => {
    const { folder } = await workspace(files)
    const only = ['--only', 'A race*won', '--only', 'cancel-l?ses']
    const { code, stdout } = await paysim(['run', folder, '--report', 'json=-', ...only])
    expect(code).toBe(0)
    const names = JSON.parse(stdout).results.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['A race that is lost', 'A race that is won'])
  })

  test('can name a file that cannot be run, and refuses a name without a match', async () => {
    const { folder } = await workspace(files)
    expect(await paysim(['run', folder, '--only', 'No race'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('broken.yaml:3:1: stepz is not a known key'),
    })
    expect(await paysim(['run', folder, '--only', 'cancel', '--only', 'cancel-lsoes'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /--only cancel-lsoes: .*Did you mean cancel-loses\? The files are broken, cancel-loses, cancel-wins\./,
      ),
    })
  })
})

describe('against a running simulator', () => {
  const running = fileServer({ args: ['--ephemeral'] })
  const environment = ({ controlUrl, controlToken } = running()) => ({
    PAYSIM_CONTROL_URL: controlUrl,
    PAYSIM_CONTROL_TOKEN: controlToken,
  })
  const merchants = async () => (await running().control('GET', '/merchants')).body.data.length

  test('works by flags and by the environment, and leaves nothing behind', async () => {
    const server = running()
    const { at } = await workspace({ 'good.yaml': GOOD, 'bad.yaml': BAD })
    const flags = ['--control-url', server.controlUrl, '--control-token', server.controlToken]
    expect((await paysim(['run', at('good.yaml'), ...flags])).code).toBe(0)
    expect((await paysim(['run', at('bad.yaml')], environment())).code).toBe(10)
    expect(await merchants()).toBe(1)
    expect((await server.control('GET', '/accounts/default.test/payments')).body.data).toEqual([])
  })

  test('uses another merchant id when the name of the run is taken', async () => {
    await running().merchant({ id: 'run-good' })
    const before = await merchants()
    const { at } = await workspace({ 'good.yaml': GOOD })
    expect((await paysim(['run', at('good.yaml')], environment())).code).toBe(0)
    expect(await merchants()).toBe(before)
  })

  test('Ctrl-C ends the run with 130, and removes its merchant', async () => {
    const before = await merchants()
    const { at } = await workspace({ 'long.yaml': LONG })
    const env = { ...process.env, ...environment() }
    const child = spawn(process.execPath, [BINARY, 'run', at('long.yaml')], { stdio: 'ignore', env })
    await expect.poll(merchants).toBe(before + 1)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(await merchants()).toBe(before)
  })

  test('refuses a wrong token, and reports a simulator that does not answer', async () => {
    const server = await ownServer({ args: ['--ephemeral'] })
    const { at } = await workspace({ 'good.yaml': GOOD })
    const run = (token: string) =>
      paysim(['run', at('good.yaml'), '--control-url', server.controlUrl, '--control-token', token])
    expect(await run('wrong')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a control surface that accepts this token: 401'),
    })
    await server.stop()
    expect(await run(server.controlToken)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('nothing listens there'),
    })
  })
})

describe('against a real base URL', () => {
  test('runs steps that work on any gateway, with the keys of the environment', async () => {
    const server = await ownServer({ args: ['--ephemeral'] })
    const { at } = await workspace({ 'good.yaml': GOOD, 'bad.yaml': BAD })
    const account = server.accounts.find(({ id }) => id === 'default.test')
    const env = { PAYSIM_PUBLIC_KEY: account?.public_key ?? '', PAYSIM_SECRET_KEY: account?.secret_key ?? '' }
    const run = (file: string, keys = env) => paysim(['run', at(file), '--base-url', server.url], keys)
    expect((await run('good.yaml')).code).toBe(0)
    expect((await run('bad.yaml')).code).toBe(10)
    expect((await server.control('GET', '/accounts/default.test/payments')).body.data).toHaveLength(2)
    expect(await paysim(['run', at('good.yaml'), '--base-url', 'http://127.0.0.1:9'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no keys for http://127.0.0.1:9.\nSet PAYSIM_PUBLIC_KEY'),
    })
    const foreign = { ...env, PAYSIM_BASE_URL: 'https://api.example' }
    expect(await paysim(['run', at('good.yaml'), '--base-url', 'http://127.0.0.1:9'], foreign)).toMatchObject(
      {
        code: 2,
        stderr: expect.stringContaining(
          'belong to https://api.example, not to http://127.0.0.1:9 (--base-url)',
        ),
      },
    )
  })

  test('refuses steps that need a simulator, by name, before anything is sent', async () => {
    const story = `paysim: 1
name: x
clock: virtual
provider: []
faults: []
catalogue: {}
policy: { checkout_modes: [] }
receiver: {}
verify: all
steps:
  - advance: 5s
  - parallel:
      - { trigger: succeed, payment: pi_x }
      - [{ create payout: {} }]
  - { expect webhooks: all, none: true }
  - { repeat: 2, steps: [{ payer opens: pi_x }] }
  - { list payouts: {}, keys: live }
`
    const { at } = await workspace({ 'x.yaml': story })
    const keys = { PAYSIM_PUBLIC_KEY: 'pk_test_x', PAYSIM_SECRET_KEY: 'sk_test_x' }
    const { code, stdout, stderr } = await paysim(
      ['run', at('x.yaml'), '--base-url', 'http://127.0.0.1:9'],
      keys,
    )
    expect(code).toBe(2)
    expect(stdout).toBe('')
    const refused = stderr
      .trim()
      .split('\n')
      .map(line => line.replace(at('x.yaml'), '').replace(/ needs a simulator.*/, ''))
    expect(refused).toEqual([
      ':3:1: clock',
      ':6:1: catalogue',
      ':7:1: policy',
      ':4:1: provider',
      ':5:1: faults',
      ':8:1: receiver',
      ':9:1: verify',
      ':11:5: advance',
      ':13:11: trigger',
      ':14:12: create payout',
      ':15:7: expect webhooks',
      ':16:28: payer opens',
      ':17:25: keys: live',
    ])
  })

  test('never uses a base URL of the environment', async () => {
    const { at } = await workspace({ 'good.yaml': GOOD })
    expect((await paysim(['run', at('good.yaml')], { PAYSIM_BASE_URL: 'http://127.0.0.1:9' })).code).toBe(0)
  })
})

describe.skipIf(availableParallelism() < 2)(
  'so many scenarios that a second process plays some of them',
  () => {
    const ABSENT = BAD.replace('{ status: succeeded }', '{ status: succeeded, nothing: 1 }')
    const many = (text: (nth: number) => string) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`s${10 + nth}.yaml`, text(nth)]))

    test('give the same report as in one process', async () => {
      const { folder } = await workspace(many(nth => `# ${'\n'.repeat(nth)}${nth % 2 ? GOOD : ABSENT}`))
      const report = async (jobs: string) => {
        const { code, stdout } = await paysim([
          'run',
          folder,
          '--jobs',
          jobs,
          '--report',
          'json=-',
          '--quiet',
        ])
        expect(code).toBe(10)
        return stdout.replace(/"took_ms": [\d.]+/g, '').replace(/http:\/\/127\.0\.0\.1:\d+/g, '')
      }
      const alone = await report('1')
      expect(alone).toContain('"absent": true')
      expect(await report('2')).toBe(alone)
    })

    test.each([
      ['SIGINT', [130, null]],
      ['SIGTERM', [130, null]],
      ['SIGKILL', [null, 'SIGKILL']],
    ] as const)('end with the run, and say nothing: %s', async (signal, end) => {
      const { folder } = await workspace(many(() => GOOD))
      const args = ['run', folder, '--jobs', '2', '--repeat', '1000']
      const child = spawn(process.execPath, [BINARY, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      const said = text(child.stderr)
      const next = linesOf(child)
      // Some of them come from the other process.
      for (let nth = 0; nth < 20; nth++) await next(/✓ A payment/)
      const others = childrenOf(child)
      expect(others).toHaveLength(1)
      child.kill(signal)
      expect(await once(child, 'exit')).toEqual(end)
      await expect.poll(() => others.filter(isAlive)).toEqual([])
      expect(await said).toBe('')
    })

    test('fail if that process is killed', async () => {
      const { folder } = await workspace(many(() => LONG))
      const child = spawn(process.execPath, [BINARY, 'run', folder, '--jobs', '2'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const said = text(child.stderr)
      await expect.poll(() => childrenOf(child)).toHaveLength(1)
      for (const pid of childrenOf(child)) process.kill(pid, 'SIGKILL')
      const [code] = await once(child, 'exit')
      expect(code).toBe(1)
      expect(await said).toContain('a process that plays scenarios failed: it ended with SIGKILL')
    })
  },
)

function childrenOf({ pid }: ChildProcess): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return all
    .map(line => line.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent]) => (parent === pid ? own : []))
}

/** A process that nobody has waited for yet is there, but no longer does anything. */
const isAlive = (pid: number) =>
  execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .some(line => new RegExp(`^ *${pid} [^Z]`).test(line))

test('--watch runs again when a file changes, and ends with Ctrl-C', async () => {
  const { at } = await workspace({ 'story.yaml': GOOD })
  const child = spawn(process.execPath, [BINARY, 'run', at('story.yaml'), '--watch', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const next = linesOf(child)
  expect(await next(/passed|failed/)).toContain('1 scenario passed')
  await next(/Waiting/)
  await writeFile(at('story.yaml'), BAD)
  expect(await next(/passed|failed in/)).toContain('1 of 1 scenario failed')
  await next(/Waiting/)
  await writeFile(at('story.yaml'), GOOD)
  expect(await next(/passed|failed/)).toContain('1 scenario passed')
  await next(/Waiting/)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
})

/** The next line like this. */
function linesOf(child: ChildProcess) {
  if (!child.stdout) throw new Error('no stdout')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async (like: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`it ended before ${like}`)
      if (like.test(value)) return value
    }
  }
}

describe('transcripts', () => {
  // That all scenarios give the same bytes, one or eight at a time, is in thousand.test.ts.
  test('several scenarios go to a folder; equal seeds give equal bytes with any number of jobs', async () => {
    const { at, read } = await workspace()
    const stories = ['bank-transfer', 'expiry', 'payout-approved', 'qr-code']
    // So many that a second process plays some of them.
    const run = (to: string, jobs: string) =>
      paysim([
        ...['run', ...stories.map(name => `scenarios/${name}.yaml`), '--quiet', '--repeat', '13'],
        ...['--transcript', at(to), '--jobs', jobs],
      ])
    await run('one', '1')
    await run('two', '4')
    const files = await readdir(at('one'))
    const turns = Array.from({ length: 13 }, (_, nth) => nth + 1)
    expect(files).toEqual(stories.flatMap(name => turns.map(nth => `${name}.${nth}.jsonl`)).sort())
    for (const file of files) {
      const [one, two] = [await read(`one/${file}`), await read(`two/${file}`)]
      expect(one.length).toBeGreaterThan(100)
      expect(two, file).toBe(one)
    }
  })

  test('one scenario goes to a file with everything that happened', async () => {
    const { at, read } = await workspace({ 'good.yaml': GOOD, 'other.yaml': `seed: 2\n${GOOD}` })
    const write = (file: string) => paysim(['run', at(file), '--transcript', at(`${file}.jsonl`)])
    await write('good.yaml')
    const lines = (await read('good.yaml.jsonl'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines[0]).toMatchObject({
      scenario: 'A payment & its <reading>',
      account: { id: 'run-good.test' },
    })
    expect(lines[1]).toMatchObject({
      step: 'create payment',
      request: 'POST http://paysim/payment_intents',
      status: 201,
    })
    expect(JSON.parse(lines[1].answer).id).toMatch(/^pi_/)
    expect(
      lines
        .filter(line => line.journal)
        .flatMap(line => line.journal.events.map((event: { type: string }) => event.type)),
    ).toContain('PaymentCreated')
    await write('other.yaml')
    expect(await read('other.yaml.jsonl')).not.toContain(JSON.parse(lines[1].answer).id)
  })
})
