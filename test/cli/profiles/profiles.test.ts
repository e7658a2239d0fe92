import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorkplace } from '../../support/cli/workplace.ts'

/** What a merchant's engineer keeps: `paysim profile …`. */

let place: Awaited<ReturnType<typeof openWorkplace>>
beforeEach(async () => {
  place = await openWorkplace()
})
afterEach(() => place.close())

const book = () => join(place.path('.'), '..', 'home', 'config', 'paysim', 'profiles.json')

const ADDRESS = ['--base-url', 'https://api.example/v1']
const TEST_KEYS = 'pk_test_one:sk_test_hidden\n'
const LIVE_KEYS = 'pk_live_one:sk_live_hidden\n'

const profile = (...args: string[]) => place.paysim(['profile', ...args])
const add = (name: string, keys = TEST_KEYS, ...more: string[]) =>
  place.paysim(['profile', 'add', name, ...ADDRESS, '--key-file', '-', ...more], { input: keys })
const listed = async () => JSON.parse((await profile('list', '-o', 'json')).stdout)

describe('a profile', () => {
  test('is saved, listed, shown, used and removed', async () => {
    expect(await add('shop')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('it is the current profile now'),
    })
    expect(await add('till', LIVE_KEYS)).toMatchObject({ code: 0 })
    expect(await listed()).toEqual({
      current: 'shop',
      profiles: [
        {
          name: 'shop',
          current: true,
          base_url: 'https://api.example/v1',
          environment: 'test',
          public_key: 'pk_test_one',
        },
        expect.objectContaining({ name: 'till', current: false, environment: 'live' }),
      ],
    })
    expect(await profile('use', 'till')).toMatchObject({ code: 0 })
    expect(await profile('show', 'till', '--query', 'current')).toMatchObject({ stdout: 'true\n' })
    expect(await profile('use', '--none')).toMatchObject({ code: 0 })
    expect(await listed()).toMatchObject({ current: null })
    expect(await profile('remove', 'till', '--yes')).toMatchObject({ code: 0 })
    expect(await listed()).toMatchObject({ profiles: [{ name: 'shop' }] })
  })

  test('that is removed while current leaves no current profile', async () => {
    await add('shop')
    expect(await profile('remove', 'shop', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no profile is current now'),
    })
    expect(await listed()).toEqual({ current: null, profiles: [] })
  })

  test('shows its secret only on request', async () => {
    const added = await add('shop')
    const shown = await profile('show', 'shop')
    const all = await profile('list', '-o', 'yaml')
    expect(added.stdout + shown.stdout + all.stdout).not.toContain('hidden')
    expect(shown.stdout).toContain('sk_test_***')
    expect(shown.stderr).toBe('The secret key is hidden: --reveal shows it.\n')
    for (const more of [['--reveal'], ['-o', 'json'], ['--query', 'name']])
      expect((await profile('show', 'shop', ...more)).stderr, more.join()).toBe('')
    const { stdout } = await profile('show', 'shop', '--reveal', '--query', 'secret_key')
    expect(stdout).toBe('sk_test_hidden\n')
  })

  test('keeps the contents of the contract file, not its path', async () => {
    const contract = await place.write('flat.yaml', 'errors.body: flat\nstatus.receipt: 202\n')
    expect(await add('shop', TEST_KEYS, '--contract', contract)).toMatchObject({ code: 0 })
    const { stdout } = await profile('show', 'shop', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ contract: { 'errors.body': 'flat', 'status.receipt': 202 } })
  })

  test('with a name that exists is replaced only on request', async () => {
    await add('shop')
    expect(await add('shop', 'pk_test_two:sk_test_two')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--replace'),
    })
    expect(await profile('show', 'shop', '--query', 'public_key')).toMatchObject({ stdout: 'pk_test_one\n' })
    expect(await add('shop', 'pk_test_two:sk_test_two', '--replace')).toMatchObject({ code: 0 })
    expect(await profile('show', 'shop', '--query', 'public_key')).toMatchObject({ stdout: 'pk_test_two\n' })
  })
})

describe('the command refuses, and saves nothing:', () => {
  test.each([
    ['a name that a shell would read', ['add', 'my shop', ...ADDRESS, '--key-file', '-'], 'a profile name'],
    ['an invalid base URL', ['add', 'shop', '--base-url', 'api.example', '--key-file', '-'], 'base URL'],
    [
      'a contract that knows no such key',
      ['add', 'shop', ...ADDRESS, '--key-file', '-', '--contract', 'bad.json'],
      'errors.boddy',
    ],
    [
      'an invalid certificate authority',
      ['add', 'shop', ...ADDRESS, '--key-file', '-', '--ca-file', 'bad.json'],
      'PEM',
    ],
    ['no address, and no terminal to ask on', ['add', 'shop', '--key-file', '-'], 'missing: --base-url'],
    ['nothing at all', ['add', 'shop'], 'missing: --base-url, --key-file'],
    ['a profile that is not there', ['use', 'shop'], 'there is no profile shop'],
    ['to use none and one', ['use', 'shop', '--none'], 'give either a profile name or --none'],
  ])('%s', async (_, args, told) => {
    await place.write('bad.json', '{"errors.boddy": "flat"}')
    const run = await place.paysim(['profile', ...args], { input: TEST_KEYS })
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(told) })
    expect(existsSync(book())).toBe(false)
  })

  test.each([
    ['a live key over plain http', LIVE_KEYS, 'http://api.example', 'plain http'],
    ['keys of two environments', 'pk_test_a:sk_live_b', 'https://api.example', 'do not belong together'],
    ['keys the wrong way round', 'sk_test_a:pk_test_b', 'https://api.example', 'in the wrong order'],
    ['no keys', '', 'https://api.example', 'contains no keys'],
  ])('%s', async (_, keys, url, told) => {
    const args = ['profile', 'add', 'shop', '--base-url', url, '--key-file', '-']
    const { code, stderr } = await place.paysim(args, { input: keys })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
    expect(existsSync(book())).toBe(false)
  })

  test('a removal without confirmation', async () => {
    await add('shop')
    expect(await profile('remove', 'shop')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await listed()).toMatchObject({ profiles: [{ name: 'shop' }] })
  })
})

test('a live key over plain http is accepted on this machine', async () => {
  const args = ['profile', 'add', 'shop', '--base-url', 'http://127.0.0.1:7297', '--key-file', '-']
  expect(await place.paysim(args, { input: LIVE_KEYS })).toMatchObject({ code: 0 })
})

test('an unknown profile brings a suggestion of a similar name', async () => {
  await add('shop-test')
  expect(await profile('show', 'shop-tset')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean shop-test?'),
  })
})

describe('`profile set` changes one thing', () => {
  test('the address, the keys or the decisions, and keeps the rest', async () => {
    await add('shop')
    expect(await profile('set', '--base-url', 'localhost:7400')).toMatchObject({ code: 0 })
    const shown = async () => JSON.parse((await profile('show', '--reveal', '-o', 'json')).stdout)
    expect(await shown()).toMatchObject({
      name: 'shop',
      current: true,
      base_url: 'http://localhost:7400',
      secret_key: 'sk_test_hidden',
    })
    const contract = await place.write('contract.json', '{"create.path":"/pay"}')
    expect(await profile('set', 'shop', '--contract', contract)).toMatchObject({ code: 0 })
    const keys = ['profile', 'set', 'shop', '--key-file', '-']
    expect(await place.paysim(keys, { input: 'pk_test_two:sk_test_other' })).toMatchObject({ code: 0 })
    expect(await shown()).toMatchObject({
      base_url: 'http://localhost:7400',
      contract: { 'create.path': '/pay' },
      public_key: 'pk_test_two',
      secret_key: 'sk_test_other',
    })
    expect(await profile('set', '--no-contract')).toMatchObject({ code: 0 })
    expect(await shown()).toMatchObject({ contract: null, secret_key: 'sk_test_other' })
  })

  test('is refused if there is nothing to change, no such profile, or what a call would refuse', async () => {
    await add('till', LIVE_KEYS)
    for (const [args, told] of [
      [['set', 'till'], 'nothing to change'],
      [['set', 'til', '--base-url', 'https://api.example'], 'did you mean till'],
      [['set', 'till', '--base-url', 'http://api.example'], 'live'],
      [['set', 'till', '--base-url', 'localhost.example:1'], 'absolute http or https URL'],
      [['set', 'till', '--base-url', 'ftp://api.example'], 'http'],
      [['set', 'till', '--key-file', place.path('none')], 'none'],
    ] as const) {
      const { code, stderr } = await profile(...args)
      expect(code, stderr).toBe(2)
      expect(stderr).toContain(told)
    }
    expect(await listed()).toMatchObject({ profiles: [{ base_url: 'https://api.example/v1' }] })
    await profile('use', '--none')
    expect(await profile('show')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no profile is current'),
    })
  })

  test('an address on this machine needs no scheme', async () => {
    for (const [at, [typed, saved]] of [
      ['127.0.0.1:7400/v1', 'http://127.0.0.1:7400/v1'],
      ['[::1]:7400', 'http://[::1]:7400'],
      ['localhost', 'http://localhost'],
    ].entries()) {
      const name = `p${at}`
      const run = ['profile', 'add', name, '--base-url', typed ?? '', '--key-file', '-']
      expect(await place.paysim(run, { input: TEST_KEYS })).toMatchObject({ code: 0 })
      expect(await profile('show', name, '--query', 'base_url')).toMatchObject({ stdout: `${saved}\n` })
    }
  })
})
