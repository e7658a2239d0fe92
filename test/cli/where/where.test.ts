import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Profile } from '../../../src/cli/profiles/profiles.ts'
import { type LocalSimulator, originOf, type Running } from '../../../src/cli/where/simulators.ts'
import type { WhereFlags } from '../../../src/cli/where/sources.ts'
import { whereIs } from '../../../src/cli/where/where.ts'

/** Which server a command calls, and with whose keys: every combination of what may say so, without a process. */

const [A, B] = ['https://a.example/v1', 'https://b.example/v1']
const HERE = 'http://127.0.0.1:7297'
/** The same origin, with another path. */
const near = (url: string) => url.replace('/v1', '/v2')

const pair = (name: string) => ({ publicKey: `pk_test_${name}`, secretKey: `sk_test_${name}` })
const [FLAG, ENV, PROFILE, SIM] = ['flag', 'environment', 'profile', 'simulator'].map(pair)
const LIVE = { publicKey: 'pk_live_environment', secretKey: 'sk_live_environment' }

let folder: string
let keyFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysim-where-'))
  keyFile = join(folder, 'keys')
  await writeFile(keyFile, `${FLAG?.publicKey}:${FLAG?.secretKey}`, { mode: 0o600 })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const simulator: LocalSimulator = {
  url: HERE,
  control_url: `${HERE}/_paysim`,
  control_token: 'token-here',
  data_dir: null,
  accounts: [
    {
      id: 'default.test',
      environment: 'test',
      public_key: SIM?.publicKey ?? '',
      secret_key: SIM?.secretKey ?? '',
    },
  ],
}

const running = (isRunning: boolean): Running => {
  const all = isRunning ? [simulator] : []
  return {
    here: async () => all,
    at: async address => all.find(({ url }) => originOf(url) === originOf(address)),
    keysOf: async ({ accounts: [account] }) => ({
      publicKey: account?.public_key ?? '',
      secretKey: account?.secret_key ?? '',
    }),
    accountWith: async ({ accounts }, key) => accounts.find(({ public_key }) => public_key === key)?.id,
  }
}

interface World {
  readonly flag?: string | undefined
  readonly keyFile?: boolean
  readonly env?: string | undefined
  readonly envKeys?: typeof ENV | undefined
  readonly profile?: string | undefined
  readonly profileNamed?: boolean
  readonly isRunning?: boolean
  readonly flags?: WhereFlags
  readonly members?: Partial<Profile>
  readonly environment?: Readonly<Record<string, string>>
}

function where({ isRunning = false, ...world }: World) {
  const profile = world.profile && {
    base_url: world.profile,
    public_key: PROFILE?.publicKey ?? '',
    secret_key: PROFILE?.secretKey ?? '',
    ...world.members,
  }
  return whereIs(
    {
      baseUrl: world.flag,
      keyFile: world.keyFile ? keyFile : undefined,
      profile: world.profileNamed ? 'shop' : undefined,
      ...world.flags,
    },
    {
      environment: {
        PAYSIM_BASE_URL: world.env,
        PAYSIM_PUBLIC_KEY: world.envKeys?.publicKey,
        PAYSIM_SECRET_KEY: world.envKeys?.secretKey,
        ...world.environment,
      },
      profiles: async () =>
        profile ? { current: 'shop', profiles: { shop: profile } } : { current: null, profiles: {} },
      running: running(isRunning),
    },
  )
}

const merchant = (world: World) => where(world).merchant()

/** All values of each part with all values of the others. */
const worlds = (): World[] => {
  let all: World[] = [{}]
  const vary = (values: readonly World[]) => {
    all = all.flatMap(world => values.map(value => ({ ...world, ...value })))
  }
  vary([undefined, A, B, HERE].map(flag => ({ flag })))
  vary([false, true].map(keyFile => ({ keyFile })))
  vary([undefined, A, near(A), B, HERE].map(env => ({ env })))
  vary([undefined, ENV, LIVE, SIM].map(envKeys => ({ envKeys })))
  vary([
    {},
    ...[A, B, HERE].flatMap(profile => [false, true].map(profileNamed => ({ profile, profileNamed }))),
  ])
  vary([false, true].map(isRunning => ({ isRunning })))
  return all
}

describe('every combination', () => {
  test('calls the first address that is given, and sends keys only where they belong', async () => {
    let [called, refused] = [0, 0]
    for (const world of worlds()) {
      const named = world.profileNamed === true
      const wanted =
        world.flag ?? (named ? undefined : world.env) ?? world.profile ?? (world.isRunning ? HERE : undefined)
      const found = await merchant(world).catch((error: Error) => error)
      const about = JSON.stringify(world)
      if (found instanceof Error) {
        refused += 1
        expect(found.message, about).not.toMatch(/sk_(test|live)_/)
        // Nobody is refused whose keys are those of the address.
        expect(world.keyFile && wanted, about).toBeFalsy()
        const origin = originOf(wanted ?? '')
        const own = [
          !named && world.envKeys && originOf(world.env ?? '') === origin,
          world.profile !== undefined &&
            originOf(world.profile) === origin &&
            (named || !world.envKeys || world.env),
        ]
        expect(wanted && own.some(Boolean), about).toBeFalsy()
        continue
      }
      called += 1
      expect(found.baseUrl, about).toBe(wanted)
      const { keys } = found.from
      if (keys === 'flag') continue
      // A script may give the address with an option and test keys with the environment; a simulator knows its own.
      const alone = world.envKeys === LIVE ? [] : [originOf(world.flag ?? '')]
      const ofEnvironment = world.env
        ? [originOf(world.env)]
        : world.envKeys === SIM
          ? [...alone, HERE]
          : alone
      const homes = { environment: ofEnvironment, 'profile shop': [originOf(world.profile ?? '')] }[keys] ?? [
        HERE,
      ]
      expect(homes, about).toContain(originOf(found.baseUrl))
    }
    // Both happen, so neither half of the test is empty.
    expect(called).toBeGreaterThan(500)
    expect(refused).toBeGreaterThan(300)
  })
})

describe('keys with an address of another source', () => {
  test.each<[string, World, string]>([
    ['an option, and a profile with the same origin', { flag: near(A), profile: A }, 'profile shop'],
    [
      'an option, and the simulator there',
      { flag: HERE, isRunning: true },
      'the local simulator, default.test',
    ],
    [
      'an option, the simulator there, and a profile elsewhere',
      { flag: HERE, isRunning: true, profile: B },
      'the local simulator, default.test',
    ],
    ['an option, and test keys in the environment', { flag: A, envKeys: ENV }, 'environment'],
    ['the simulator, and its own keys in the environment', { isRunning: true, envKeys: SIM }, 'environment'],
    ['the environment, and a profile with the same origin', { env: A, profile: A }, 'profile shop'],
    ['a profile, and keys that an option gives', { profile: A, keyFile: true }, 'flag'],
    [
      'a named profile, whatever the environment has',
      { env: B, envKeys: LIVE, profile: A, profileNamed: true },
      'profile shop',
    ],
  ])('go together: %s', async (_, world, from) => {
    expect((await merchant(world)).from.keys).toBe(from)
  })

  test.each<[string, World, string]>([
    [
      'an option, and a profile elsewhere',
      { flag: 'http://127.0.0.1:7898', profile: A },
      'the keys from profile shop belong to https://a.example, not to http://127.0.0.1:7898 (--base-url): give the keys of that address with --key-file',
    ],
    [
      'an option with the address of the simulator, and another profile that is named',
      { flag: HERE, isRunning: true, profile: A, profileNamed: true },
      `the keys from profile shop belong to https://a.example, not to ${HERE} (--base-url): give the keys of that address with --key-file`,
    ],
    [
      'the environment, and a profile elsewhere',
      { env: B, profile: A },
      'the keys from profile shop belong to https://a.example, not to https://b.example (PAYSIM_BASE_URL): give the keys of that address with --key-file',
    ],
    [
      'an option, and keys that the environment has for another address',
      { flag: B, env: A, envKeys: ENV },
      'the keys from PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY belong to https://a.example, not to https://b.example (--base-url): give the keys of that address with --key-file',
    ],
    [
      'an option, and live keys without an address',
      { flag: B, envKeys: LIVE },
      'the keys from PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY may not belong to https://b.example (--base-url): set PAYSIM_BASE_URL to the address of these keys, give keys with --key-file, or unset both',
    ],
    [
      'a profile, and keys without an address',
      { profile: A, envKeys: ENV },
      'the keys from PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY may not belong to https://a.example (profile shop): set PAYSIM_BASE_URL to the address of these keys, give keys with --key-file, or unset both',
    ],
    [
      'the simulator, and keys of somebody else',
      { isRunning: true, envKeys: ENV },
      `the keys from PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY may not belong to ${HERE} (the local simulator, default.test): set PAYSIM_BASE_URL to the address of these keys, give keys with --key-file, or unset both`,
    ],
    [
      'live keys over plain http',
      { env: 'http://gateway.example', envKeys: LIVE },
      'a live key is not sent to http://gateway.example: others can read plain http; use https, or a test key',
    ],
    [
      'two keys of different environments',
      { env: A, envKeys: { publicKey: 'pk_live_a', secretKey: 'sk_test_b' } },
      'the keys from PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY do not belong together: pk_live_a is a live key, and the secret key is a test key; take both from one account',
    ],
    ['an option alone', { flag: A }, 'no keys for https://a.example.'],
  ])('are refused: %s', async (_, world, told) => {
    const { message } = await merchant(world).then(
      () => new Error('nothing was refused'),
      (error: Error) => error,
    )
    expect(message.split('\n')[0]).toBe(told)
  })
})

describe('the control surface', () => {
  const control = (world: World) => where(world).control()
  const elsewhere = {
    PAYSIM_CONTROL_URL: 'http://127.0.0.1:9/_paysim',
    PAYSIM_CONTROL_TOKEN: 'token-elsewhere',
  }

  test('a token goes only to its own simulator', async () => {
    const flags = { controlUrl: HERE }
    const found = await control({ isRunning: true, flags, environment: elsewhere })
    expect(found).toMatchObject({ token: 'token-here', from: { controlUrl: '--control-url' } })
    await expect(control({ flags, environment: elsewhere })).rejects.toThrow(
      `the token in PAYSIM_CONTROL_TOKEN belongs to http://127.0.0.1:9, not to ${HERE} (--control-url): give the token of that address with --control-token-file`,
    )
    const { PAYSIM_CONTROL_TOKEN } = elsewhere
    expect(await control({ flags, environment: { PAYSIM_CONTROL_TOKEN } })).toMatchObject({
      token: 'token-elsewhere',
    })
  })

  test.each<[string, World]>([
    ['an option', { flag: HERE }],
    ['the environment', { env: HERE }],
    ['a profile', { profile: HERE }],
    ['nothing', {}],
  ])('the address of %s leads to the simulator there', async (_, world) => {
    expect(await control({ ...world, isRunning: true })).toMatchObject({
      controlUrl: `${HERE}/_paysim`,
      token: 'token-here',
      url: HERE,
    })
  })
})

describe('the contract', () => {
  const contract = { 'create.path': '/pay' }
  const path = async (world: World) =>
    (await where({ ...world, members: { contract } }).contract())?.['create.path']

  test('of a profile is that of its own server', async () => {
    expect(await path({ profile: A })).toBe('/pay')
    expect(await path({ profile: A, flag: near(A) })).toBe('/pay')
    expect(await path({ profile: A, flag: B, keyFile: true })).toBeUndefined()
    expect(await path({ profile: A, profileNamed: true, flag: B, keyFile: true })).toBe('/pay')
  })

  test('of an option comes first, and its file is read once', async () => {
    const file = join(folder, 'contract.json')
    await writeFile(file, '{"create.path":"/new"}')
    const one = where({ profile: A, members: { contract }, flags: { contract: file } })
    expect((await one.contract())?.['create.path']).toBe('/new')
    await rm(file)
    expect(await one.overrides()).toEqual({ 'create.path': '/new' })
    expect((await one.contract())?.['create.path']).toBe('/new')
  })
})
