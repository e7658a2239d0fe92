import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noTerminal, openTerminal, type Terminal } from '../../support/cli/terminal.ts'
import { openWorkplace } from '../../support/cli/workplace.ts'
import { type Server, startServer } from '../../support/gateway/server.ts'

/** `paysim init`: from nothing to a call that worked. */

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const account = (id: string) => {
  const found = server.accounts.find(one => one.id === id)
  if (!found) throw new Error(`no account ${id}`)
  return found
}
const pair = () => `${account('default.test').public_key}:${account('default.test').secret_key}`

describe('without a terminal', () => {
  let place: Awaited<ReturnType<typeof openWorkplace>>
  beforeAll(async () => {
    place = await openWorkplace()
  })
  afterAll(() => place.close())
  const book = () => join(place.path('.'), '..', 'home', 'config', 'paysim', 'profiles.json')
  const init = (args: string[], env = {}) => place.paysim(['init', ...args], env)

  test.each([
    ['everything', [], ['--name', '--base-url', '--key-file']],
    ['the keys', ['--name', 'shop', '--base-url', 'https://api.example'], ['--key-file']],
  ])('names what is missing all at once: %s', async (_, args, missing) => {
    const { code, stdout, stderr } = await init(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.match(/--(?:name|base-url|key-file)/g)).toEqual(missing)
  })

  test('keeps no profile that does not work, and ends with the exit code of the call', async () => {
    const at = (url: string) => ['--name', 'shop', '--base-url', url, '--key-file', '-']
    const stranger = await init(at(server.url), { input: 'pk_test_a:sk_test_b' })
    expect(stranger).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('unauthorized') })
    expect(await init(at('http://127.0.0.1:9'), { input: pair() })).toMatchObject({ code: 7 })
    expect(await init(at('http://api.example'), { input: 'pk_live_a:sk_live_b' })).toMatchObject({ code: 2 })
    expect(existsSync(book())).toBe(false)
  })

  test('needs only flags: makes a call, keeps the profile, and makes it the current one', async () => {
    const { code, stdout, stderr } = await init(
      ['--name', 'shop', '--base-url', server.url, '--key-file', '-', '-o', 'json'],
      { input: pair() },
    )
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'shop', current: true, secret_key: 'sk_test_***' })
    expect(stderr).toMatch(
      /accepts the keys, in the test environment[\s\S]*payment methods: \d+ available[\s\S]*paysim payments create/,
    )
    const get = await place.paysim(['payouts', 'list', '-o', 'json', '--query', 'has_more'])
    expect(get).toMatchObject({ code: 0, stdout: 'false\n' })
    expect(await init(['--name', 'shop', '--account', 'default.test'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--replace'),
    })
  })

  test('needs only an account for the local simulator', async () => {
    const env = { PAYSIM_DATA: server.dataDir }
    const { code, stdout } = await init(['--name', 'here', '--account', 'default.live'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain(account('default.live').public_key)
  })
})

describe.skipIf(noTerminal)('on a terminal', () => {
  let terminal: Terminal
  afterEach(() => terminal?.close())
  const kept = async () => JSON.parse(await readFile(join(terminal.cwd, 'paysim', 'profiles.json'), 'utf8'))

  test('needs only a few presses of Enter for the local simulator', async () => {
    terminal = await openTerminal(['init'], { env: { PAYSIM_DATA: server.dataDir } })
    await terminal.waitFor('the local simulator')
    await terminal.press('Enter')
    await terminal.waitFor('Which account?')
    await terminal.press('Enter')
    await terminal.waitFor('Name for this profile:')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(0)
    expect(await terminal.capture()).toContain('paysim payments create')
    const { public_key } = account('default.test')
    expect(await kept()).toMatchObject({
      current: 'local',
      profiles: { local: { base_url: server.url, public_key } },
    })
  })

  test('at another address, asks again after a mistake, and shows no secret', async () => {
    terminal = await openTerminal(['init', '--name', 'shop'])
    const say = async (question: string, answer: string) => {
      await terminal.waitFor(question)
      await terminal.type(answer)
      await terminal.press('Enter')
    }
    await terminal.waitFor('Where is the API?')
    await terminal.press('Down', 'Enter')
    await say('Base URL of the API:', server.url.replace('http://', ''))
    await say('? Public key', 'pk_test_wrong')
    await say('? Secret key', 'sk_test_wrong')
    await terminal.waitFor('✗')
    const { public_key, secret_key } = account('default.test')
    await say('? Public key', public_key)
    await say('? Secret key', secret_key)
    expect(await terminal.exit()).toBe(0)
    const screen = await terminal.capture()
    expect(screen).not.toContain(secret_key)
    expect(screen).not.toContain('sk_test_wrong')
    expect(screen).toContain('pk_test_wrong')
    expect(await kept()).toMatchObject({ profiles: { shop: { base_url: server.url, secret_key } } })
  })

  test('says at once that an address is no key, and asks only for what was wrong', async () => {
    terminal = await openTerminal(['init', '--name', 'shop'])
    const say = async (question: string, answer: string) => {
      await terminal.waitFor(question)
      await terminal.type(answer)
      await terminal.press('Enter')
    }
    await terminal.waitFor('Where is the API?')
    await terminal.press('Down', 'Enter')
    await say('Base URL of the API:', 'pk_test_abc')
    await terminal.waitFor('This is a key. Enter the address first.')
    await terminal.press('C-u')
    // A port on which nothing listens.
    await terminal.type('127.0.0.1:9')
    await terminal.press('Enter')
    await say('? Public key', server.url)
    await terminal.waitFor('This is an address, not a key.')
    const { public_key, secret_key } = account('default.test')
    await terminal.press('C-u')
    await terminal.type(public_key)
    await terminal.press('Enter')
    await say('? Secret key', 'sk_live_other')
    await terminal.waitFor('the keys do not belong together')
    await terminal.press('C-u')
    await terminal.type(secret_key)
    await terminal.press('Enter')
    await terminal.waitFor(/✗[\s\S]*\? Where is the API\?/)
    await terminal.press('Down', 'Enter')
    await terminal.waitFor(/✗[\s\S]*\? Base URL of the API:/)
    await terminal.type(server.url)
    await terminal.press('Enter')
    // The keys were right, so they are not asked for again.
    expect(await terminal.exit()).toBe(0)
    const screen = await terminal.capture()
    expect(screen.match(/[?✔] Secret key/g)).toHaveLength(1)
    expect(await kept()).toMatchObject({
      profiles: { shop: { base_url: server.url, public_key, secret_key } },
    })
  })

  test('keeps nothing after Ctrl-C', async () => {
    terminal = await openTerminal(['init'])
    await terminal.waitFor('a new simulator')
    await terminal.press('Enter')
    await terminal.waitFor('paysim serve --data')
    await terminal.press('C-c')
    expect(await terminal.exit()).toBe(130)
    expect(existsSync(join(terminal.cwd, 'paysim'))).toBe(false)
  })
})
