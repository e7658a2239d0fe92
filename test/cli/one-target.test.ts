import { execFileSync } from 'node:child_process'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openWorkplace, type Workplace } from '../support/cli/workplace.ts'

// Which gateway a command talks to, where several could be meant: one rule for all commands, and never in silence.

/** Apart, where it matters whether a choice is said: a process says it only once. */
async function workplace(settings?: Parameters<typeof openWorkplace>[0]) {
  const place = await openWorkplace(settings)
  onTestFinished(place.close)
  return place
}

/** `paysim serve` in a workplace, stopped when the test is over. */
async function serving(place: Workplace, ...args: string[]) {
  const server = place.start(['serve', '--json', '--port', '0', ...args])
  onTestFinished(async () => {
    server.interrupt()
    await server.ended
  })
  const said = await server.says(/"event":"ready".*\n/)
  const ready = JSON.parse(said.split('\n').find(line => line.includes('"ready"')) ?? '')
  return { ...server, url: ready.url as string, ready }
}

const CREATE = [
  ...['payments', 'create', '--amount', '15000', '--currency', 'THB', '--country', 'TH'],
  ...['--merchant-reference', 'order-1', '--customer-name', 'Jo', '--query', 'id'],
]

const created = async (place: Workplace, env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await place.paysim(CREATE, { env })
  expect(code, stderr).toBe(0)
  return { id: stdout.trim(), stderr }
}

const listed = async (place: Workplace, env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await place.paysim(
    ['sim', 'payments', '-o', 'json', '--query', 'data[].id'],
    {
      env,
    },
  )
  expect(code, stderr).toBe(0)
  return { ids: stdout, stderr }
}

describe('the local simulator', () => {
  test.each([['--ephemeral'], ['--data', 'elsewhere/books']])(
    'is found by all commands with serve %s %s',
    async (...args) => {
      const place = await workplace({ apart: true })
      await serving(place, ...args.filter(Boolean))
      const { id, stderr } = await created(place)
      const { ids, stderr: more } = await listed(place)
      expect(ids).toContain(id)
      const doctor = await place.paysim(['doctor', '-o', 'json'])
      expect(doctor.stdout).toContain('the local simulator')
      // Where there is no choice, nothing is said of one.
      expect(stderr + more).not.toContain('calling http')
    },
  )

  test('is not found from another folder, or after it has stopped', async () => {
    const [place, other] = await Promise.all([workplace(), workplace()])
    const server = await serving(place, '--ephemeral')
    expect(await other.paysim(['payouts', 'list'])).toMatchObject({ code: 2 })
    server.interrupt()
    expect(await server.ended).toMatchObject({ code: 0 })
    const [api, control] = await Promise.all([
      place.paysim(['payouts', 'list']),
      place.paysim(['sim', 'clock']),
    ])
    expect([api.code, control.code]).toEqual([2, 2])
  })

  test('leaves nothing behind, and its files are readable only by their owner', async () => {
    const place = await workplace()
    const before = await everything(place)
    const server = await serving(place, '--ephemeral')
    const during = (await everything(place)).filter(path => !before.includes(path))
    const [file = ''] = during.filter(path => path.endsWith('.json'))
    expect((await stat(file)).mode & 0o077).toBe(0)
    expect((await lstat(join(file, '..'))).mode & 0o077).toBe(0)
    server.interrupt()
    await server.ended
    expect(await everything(place)).toEqual(before)
  })

  test('is not found after it was killed', async () => {
    const place = await workplace({ apart: true })
    const killed = await serving(place, '--ephemeral')
    const pid = Number(
      /-(\d+)\.json/.exec((await everything(place)).find(path => path.endsWith('.json')) ?? '')?.[1],
    )
    process.kill(pid, 'SIGKILL')
    await killed.ended
    expect(await place.paysim(['payouts', 'list'])).toMatchObject({ code: 2 })
    await serving(place, '--ephemeral')
    expect((await created(place)).stderr).not.toContain('calling http')
  })
})

/** Every file and folder of a workplace, its home included. */
async function everything(place: Workplace): Promise<string[]> {
  const root = join(place.path(''), '..')
  const entries = await readdir(root, { recursive: true })
  return entries.map(entry => join(root, entry)).sort()
}

describe('when more than one gateway could be meant', () => {
  test('two simulators of one folder: all commands use one of them, and say so', async () => {
    const place = await workplace({ apart: true })
    const kept = await serving(place)
    const passing = await serving(place, '--ephemeral')
    const { id, stderr } = await created(place)
    const { ids, stderr: more } = await listed(place)
    expect(ids).toContain(id)
    for (const said of [stderr, more]) {
      expect(said.match(/calling .*\n/g)).toHaveLength(1)
      expect(said).toContain(`calling ${kept.url} (the local simulator`)
      expect(said).toContain(`not ${passing.url} (a simulator in memory)`)
    }
  })

  test('suggests the other simulator if a record is not found in one', async () => {
    const [place, other] = await Promise.all([workplace(), workplace()])
    const here = await serving(place)
    await serving(other, '--ephemeral')
    const { id } = await created(place)
    const env = await variables(other)
    const missed = () => place.paysim(['payments', 'get', id], { env })
    expect(await missed()).toMatchObject({ code: 4, stdout: '' })
    // The other one is asked for a second, which is not enough on a busy machine.
    const hint = `there is also a local simulator at ${here.url}, which has ${id} in the account default.test`
    await expect.poll(async () => (await missed()).stderr).toContain(hint)
    const nowhere = await place.paysim(['payments', 'get', `pi_${'0'.repeat(24)}`], { env })
    expect(nowhere.stderr).toContain(`${here.url}, which may have this record`)
    const bySim = () => place.paysim(['sim', 'payments', 'show', id], { env })
    expect(await bySim()).toMatchObject({ code: 4 })
    await expect.poll(async () => (await bySim()).stderr).toContain(`which has ${id}`)
  })

  test('a base URL of another simulator of this user implies its control URL, and vice versa', async () => {
    const [place, other] = await Promise.all([workplace(), openBeside()])
    await serving(place)
    const there = await serving(other, '--ephemeral')
    const env = await variables(other)
    const {
      PAYSIM_BASE_URL = '',
      PAYSIM_PUBLIC_KEY = '',
      PAYSIM_SECRET_KEY = '',
      PAYSIM_CONTROL_URL = '',
    } = env
    const byBase = { ...other.home, PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY }
    const { id } = await created(place, byBase)
    expect((await listed(place, byBase)).ids).toContain(id)
    const byControl = { ...other.home, PAYSIM_CONTROL_URL }
    expect((await listed(place, byControl)).ids).toContain(id)
    expect(await place.paysim(['payments', 'get', id, '--query', 'id'], { env: byControl })).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
    })
    expect(there.url).toBe(PAYSIM_BASE_URL)
  })

  test('`sim` reports a gateway that is not a simulator, and uses the local one', async () => {
    const place = await workplace({ apart: true })
    const here = await serving(place)
    const keys = { PAYSIM_PUBLIC_KEY: 'pk_test_a', PAYSIM_SECRET_KEY: 'sk_test_b' }
    const env = { PAYSIM_BASE_URL: 'http://127.0.0.1:9', ...keys }
    const { stderr } = await listed(place, env)
    expect(stderr).toContain(`calling ${here.url} (the local simulator)`)
    expect(stderr).toContain('not http://127.0.0.1:9 (PAYSIM_BASE_URL)')
    const refused = await place.paysim(['payouts', 'list', '--retries', '0'], { env })
    expect(refused.code).toBe(7)
    expect(refused.stderr).toContain(`there is also a local simulator at ${here.url}: did you mean that one?`)
  })

  test('a current profile beats the local simulator, and both are named', async () => {
    const place = await workplace({ apart: true })
    const here = await serving(place)
    const profile = { base_url: 'http://127.0.0.1:9', public_key: 'pk_test_a', secret_key: 'sk_test_b' }
    await place.writeProfiles({ current: 'shop', profiles: { shop: profile } })
    const api = await place.paysim(['payouts', 'list', '-o', 'json', '--retries', '0'])
    expect(api).toMatchObject({ code: 7, stdout: '' })
    expect(api.stderr).toMatch(new RegExp(`calling http://127.0.0.1:9 \\(profile shop\\), not ${here.url} `))
    const { stderr } = await listed(place)
    expect(stderr).toMatch(new RegExp(`calling ${here.url} .*not http://127.0.0.1:9 \\(profile shop\\)`))
    // Whoever names one has chosen.
    const named = await place.paysim(['payouts', 'list', '--account', 'default.test', '-o', 'json'])
    expect(named).toMatchObject({ code: 0, stderr: '' })
  })
})

test('a command finds a later account by its name, and reports an unknown one', async () => {
  const place = await workplace()
  await serving(place, '--ephemeral')
  expect(await place.paysim(['sim', 'merchants', 'create', 'shop'])).toMatchObject({ code: 0 })
  expect(await place.paysim(['payouts', 'list', '--account', 'shop', '-o', 'json'])).toMatchObject({
    code: 0,
  })
  const none = await place.paysim(['payouts', 'list', '--account', 'shpo'])
  expect(none).toMatchObject({ code: 2 })
  expect(none.stderr).toContain('no account shpo.test; it has')
})

/** The same user in another folder: what runs is known to both. */
async function openBeside() {
  const place = await workplace()
  return { ...place, home: { XDG_STATE_HOME: join(place.path(''), '..', 'home', '.local/state') } }
}

/** What `paysim env` prints there. */
async function variables(place: Workplace, ...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await place.paysim(['env', '--format', 'json', ...args])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

describe('paysim env', () => {
  const NAMES = [
    ...['PAYSIM_BASE_URL', 'PAYSIM_PUBLIC_KEY', 'PAYSIM_SECRET_KEY'],
    ...['PAYSIM_CONTROL_URL', 'PAYSIM_CONTROL_TOKEN', 'PAYSIM_ACCOUNT'],
  ]
  const TOKEN = `a'b"c$(touch>pwned)\`x\`%\\n`

  test('every format reads back the same, whatever the values are', async () => {
    const place = await workplace()
    await serving(place, '--ephemeral', '--control-token', TOKEN)
    const meant = await variables(place)
    expect(Object.keys(meant)).toEqual(NAMES)
    expect(meant.PAYSIM_CONTROL_TOKEN).toBe(TOKEN)
    const [shell, fish, dotenv, github] = await Promise.all(
      ['shell', 'fish', 'dotenv', 'github'].map(format => place.paysim(['env', '--format', format])),
    )
    expect((await place.paysim(['env'])).stdout).toBe(shell?.stdout)
    expect(shell?.stdout).toMatch(/^export PAYSIM_BASE_URL='http:/)
    for (const [program, code] of [
      ['sh', shell?.stdout],
      ['zsh', shell?.stdout],
      ['fish', fish?.stdout],
    ] as const) {
      const read = readBy(program, place, `${code}\nenv`)
      if (read === undefined) continue
      for (const name of NAMES) expect(read, program).toContain(`${name}=${meant[name]}\n`)
    }
    expect((await readdir(place.path(''))).filter(name => name === 'pwned')).toEqual([])
    expect(github?.stdout).toBe(NAMES.map(name => `${name}=${meant[name]}\n`).join(''))
    expect(github?.stderr).toContain(`::add-mask::${meant.PAYSIM_SECRET_KEY}\n`)
    expect(github?.stderr).toContain('::add-mask::a')
    // No quotes are left that the token does not have.
    expect(dotenv).toMatchObject({ code: 2, stdout: '' })
  })

  test('prints the secret of webhooks listen once there is one, and GitHub masks it', async () => {
    const place = await workplace()
    await serving(place)
    const secret = `whsec_${Buffer.alloc(24, 'b').toString('base64')}`
    const listen = ['webhooks', 'listen', '--secret', secret, '--count', '1', '--timeout', '100ms']
    expect(await place.paysim(listen)).toMatchObject({ code: 8 })
    expect(await variables(place)).toMatchObject({ PAYSIM_WEBHOOK_SECRET: secret })
    const github = await place.paysim(['env', '--format', 'github'])
    expect(github.stdout).toContain(`PAYSIM_WEBHOOK_SECRET=${secret}\n`)
    expect(github.stderr).toContain(`::add-mask::${secret}\n`)
  })

  test('Node can read the dotenv format with --env-file', async () => {
    const place = await workplace()
    await serving(place, '--ephemeral', '--control-token', 'with"quotes"#and-more')
    const { stdout } = await place.paysim(['env', '--format', 'dotenv'])
    const file = await place.write('.env', stdout)
    const script =
      'console.log(JSON.stringify(process.env.PAYSIM_CONTROL_TOKEN + process.env.PAYSIM_BASE_URL))'
    const read = execFileSync(process.execPath, [`--env-file=${file}`, '-e', script], { encoding: 'utf8' })
    const { PAYSIM_CONTROL_TOKEN, PAYSIM_BASE_URL } = await variables(place)
    expect(JSON.parse(read)).toBe(`${PAYSIM_CONTROL_TOKEN}${PAYSIM_BASE_URL}`)
  })

  test('uses the account and the directory that are named, and works from any folder', async () => {
    const [place, other] = await Promise.all([workplace(), workplace()])
    await serving(place, '--data', 'books')
    const [test_, live] = await Promise.all([variables(place), variables(place, '--account', 'default.live')])
    expect(test_.PAYSIM_PUBLIC_KEY).toMatch(/^pk_test_/)
    expect(live).toMatchObject({
      PAYSIM_ACCOUNT: 'default.live',
      PAYSIM_PUBLIC_KEY: expect.stringMatching(/^pk_live_/),
    })
    expect(await variables(other, '--data', place.path('books'))).toEqual(test_)
    const { id } = await created(other, test_)
    expect((await listed(other, test_)).ids).toContain(id)
  })

  test('without a simulator, reports that and prints nothing to evaluate', async () => {
    const place = await workplace()
    const { code, stdout, stderr } = await place.paysim(['env'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('paysim serve')
    const none = await place.paysim(['env', '--format', 'dotnev'])
    expect(none.stderr).toContain('Did you mean dotenv?')
  })
})

/** What a shell prints; undefined where it is not installed. */
function readBy(program: string, place: Workplace, code: string): string | undefined {
  try {
    return execFileSync(program, ['-c', code], {
      cwd: place.path(''),
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
