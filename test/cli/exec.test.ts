import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exec, node, withControl } from '../support/cli/exec.ts'

async function folder(files: Record<string, string> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'paysim-exec-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return path
}

test('the command finds a simulator that is ready in its environment', async () => {
  const run = exec(
    withControl(`
      const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = process.env
      const basic = 'Basic ' + Buffer.from(PAYSIM_PUBLIC_KEY + ':' + PAYSIM_SECRET_KEY).toString('base64')
      const made = await fetch(PAYSIM_BASE_URL + '/payment_intents', {
        method: 'POST',
        headers: { authorization: basic, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: '25000', currency: 'THB', country: 'TH', checkout_mode: 'hosted',
          payment_method: 'th_promptpay', merchant_reference: 'order-1', customer: {} }),
      })
      const payment = await made.json()
      const { status } = await account('/payments/' + payment.id + '/succeed', {})
      console.log(process.env.PAYSIM_ACCOUNT, made.status, status)
    `),
  )
  expect(await run.ended).toMatchObject({ code: 0, stdout: 'default.test 201 succeeded\n', stderr: '' })
})

test('the command gets its arguments, input and folder as if called directly', async () => {
  const cwd = await folder()
  const script = `
    process.stdin.on('data', text => console.log(JSON.stringify([process.argv.slice(1), String(text), process.cwd()])))`
  const args = ['--', process.execPath, '-e', script, '--', 'two words', '--seed', '', '*']
  const { stdout } = await exec(args, { cwd, input: 'typed' }).ended
  expect(JSON.parse(stdout)).toEqual([
    ['two words', '--seed', '', '*'],
    'typed',
    expect.stringContaining(cwd),
  ])
})

test.each([0, 1, 7])('exec returns the status of the command: %i', async status => {
  expect((await exec(node(`process.exit(${status})`)).ended).code).toBe(status)
})

test.skipIf(process.platform === 'win32')(
  'a command ended by a signal gives 128 plus the signal',
  async () => {
    expect((await exec(node("process.kill(process.pid, 'SIGKILL')")).ended).code).toBe(137)
    expect((await exec(node("process.kill(process.pid, 'SIGTERM')")).ended).code).toBe(143)
  },
)

test('a command that does not exist gives 127, and one that cannot run gives 126', async () => {
  expect(await exec(['--', 'no-such-command-of-ours']).ended).toEqual({
    code: 127,
    signal: null,
    stdout: '',
    stderr: 'paysim exec: no-such-command-of-ours: command not found\n',
  })
  if (process.platform === 'win32') return
  const cwd = await folder({ 'plain.txt': 'text' })
  await chmod(join(cwd, 'plain.txt'), 0o644)
  expect(await exec(['--', './plain.txt'], { cwd }).ended).toMatchObject({
    code: 126,
    stderr: 'paysim exec: cannot start ./plain.txt: permission denied\n',
  })
})

test('a usage error gives 2, and the command does not run', async () => {
  const run = node("console.log('it ran')")
  for (const [args, why] of [
    [[], 'missing required argument'],
    [['--sed', '7', ...run], 'did you mean --seed'],
    [['--seed', 'x', ...run], 'whole number'],
    [['--clock', 'none', ...run], 'real, virtual'],
    [['--contract', 'none.json', ...run], 'cannot read none.json'],
    [['--scenario', 'none.yaml', ...run], 'none.yaml:1:1: cannot be read'],
  ] as const) {
    const { code, stdout, stderr } = await exec(args).ended
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr.toLowerCase()).toContain(why.toLowerCase())
  }
})

test('exec accepts the flags of serve', async () => {
  const cwd = await folder({ 'contract.yaml': 'errors.body: flat\n' })
  const flags = ['--seed', '7', '--clock', 'virtual', '--contract', 'contract.yaml']
  const script = `
    const { mode } = await account('/clock')
    const { code } = await account('/payments/pi_none')
    console.log(mode, code, process.env.PAYSIM_SECRET_KEY)`
  const [one, other] = [
    exec([...flags, ...withControl(script)], { cwd }),
    exec([...flags, ...withControl(script)], { cwd }),
  ]
  const { stdout } = await one.ended
  expect(stdout).toMatch(/^virtual not_found sk_test_/)
  expect((await other.ended).stdout).toBe(stdout)
})

const SCENARIO = `
paysim: 1
name: A quick provider and a bad line
clock: { mode: virtual, now: 2040-01-01T00:00:00Z }
policy: { checkout_modes: [hosted] }
catalogue: { providers: [{ id: siam, healthy: false }] }
provider:
  - { name: quick, outcome: { after: 5s, status: succeeded } }
faults:
  - { on: GET /payout_intents, type: status, status: 503 }
`

test('exec applies a scenario to the default merchant, without its steps', async () => {
  const second = 'paysim: 1\nname: More\nprovider: [{ name: late }]\nsteps: []\n'
  const cwd = await folder({ 'story.yaml': SCENARIO, 'more.yaml': second })
  const script = `
    const merchant = await control('GET', '/merchants/default')
    const { now, mode } = await account('/clock')
    const { rules } = await account('/rules')
    const { faults } = await account('/faults')
    const { providers, routes } = await account('/catalogue')
    const { secret_key } = merchant.accounts[0]
    console.log(JSON.stringify({ mode, now, rules: rules.map(({ name }) => name), faults: faults.length,
      modes: merchant.checkout_modes, siam: providers.find(({ id }) => id === 'siam'),
      routes: routes.length > 1, key: secret_key === process.env.PAYSIM_SECRET_KEY }))`
  const run = exec(['--scenario', 'story.yaml', '--scenario', 'more.yaml', ...withControl(script)], { cwd })
  const { stdout, stderr } = await run.ended
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    mode: 'virtual',
    now: '2040-01-01T00:00:00.000Z',
    rules: ['quick', 'late'],
    faults: 1,
    modes: ['hosted'],
    siam: { id: 'siam', healthy: false },
    routes: true,
    key: true,
  })
})

test('exec refuses an invalid scenario, with the line of the mistake', async () => {
  const cwd = await folder({ 'story.yaml': SCENARIO.replace('outcome:', 'outcom:') })
  const { code, stderr } = await exec(['--scenario', 'story.yaml', ...node('')], { cwd }).ended
  expect(code).toBe(2)
  expect(stderr).toMatch(/^paysim exec: story\.yaml:8:\d+: .*outcom/)
})

test('exec leaves no file and no open port', async () => {
  const cwd = await folder()
  const run = exec(node('console.log(process.env.PAYSIM_BASE_URL)'), { cwd })
  const { stdout } = await run.ended
  expect(await readdir(cwd)).toEqual([])
  await expect(fetch(stdout.trim())).rejects.toThrow()
})
