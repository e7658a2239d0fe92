import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { by } from '../../support/cli/orders.ts'
import { environmentOf, openShop, type Shop } from '../../support/cli/shop.ts'
import { openSite } from '../../support/cli/site.ts'
import { keepKeysSecret, openWorkplace, useWorkplace, type Workplace } from '../../support/cli/workplace.ts'
import { type AccountKeys, removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'

/** Answers everything, and tells who asked: `public key` at `path`. */
interface Signpost {
  readonly url: string
  readonly keys: Pick<AccountKeys, 'public_key' | 'secret_key'>
  readonly askedBy: string[]
  readonly close: () => void
}

const SOURCES = ['flag', 'environment', 'profile', 'simulator'] as const
type Source = (typeof SOURCES)[number]

const posts = new Map<Source, Signpost>()
const post = (source: Source): Signpost => {
  const found = posts.get(source)
  if (!found) throw new Error(`there is no ${source}`)
  return found
}
const bare = useWorkplace()
let server: Server
let kept: Awaited<ReturnType<typeof openWorkplace>>

beforeAll(async () => {
  for (const source of SOURCES) posts.set(source, await openSignpost(source))
  // The one that runs here is a real one, in its data directory.
  server = await startServer()
  kept = await openWorkplace()
  const { url, keys } = post('profile')
  const add = ['profile', 'add', 'kept', '--base-url', url, '--key-file', '-']
  const added = await kept.paysim(add, { input: `${keys.public_key}:${keys.secret_key}` })
  expect(added.code, added.stderr).toBe(0)
  expect(await kept.paysim(['profile', 'use', 'kept'])).toMatchObject({ code: 0 })
})
afterAll(async () => {
  for (const { close } of posts.values()) close()
  await Promise.all([server.stop(), kept.close()])
  await removeDirectory(server.dataDir)
})

describe('a flag beats the environment, which beats a profile, which beats the local simulator', () => {
  const pairs = SOURCES.flatMap((winner, at) => SOURCES.slice(at + 1).map(loser => [winner, loser] as const))

  test.each(pairs)('%s beats %s', async (winner, loser) => {
    const { paysim, args, env } = await arranged([winner, loser])
    const before = post(loser).askedBy.length
    const { code, stdout, stderr } = await paysim(['payouts', 'list', '--query', 'data[0].id', ...args], {
      env,
    })
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `from the ${winner}\n` })
    expect(post(winner).askedBy.at(-1)).toBe(post(winner).keys.public_key)
    expect(post(loser).askedBy).toHaveLength(before)
  })

  test('a command calls the local simulator when nothing else is named', async () => {
    const env = { PAYSIM_DATA: server.dataDir }
    const [test_, live] = await Promise.all([
      bare().paysim(['payouts', 'list', '-o', 'json'], { env }),
      bare().paysim(['payouts', 'list', '-o', 'json', '--account', 'default.live'], { env }),
    ])
    expect(test_.code, test_.stderr).toBe(0)
    expect(live.code, live.stderr).toBe(0)
    const { body } = await server.control('GET', '/accounts/default.live/requests')
    expect(body.data.filter(({ path }: { path: string }) => path.startsWith('/payout_intents'))).toHaveLength(
      1,
    )
  })

  test('a command sends the keys of the local simulator to no other address', async () => {
    const { url, askedBy } = post('flag')
    const before = askedBy.length
    const { code, stdout, stderr } = await bare().paysim(['payouts', 'list', '--base-url', url], {
      env: { PAYSIM_DATA: server.dataDir },
    })
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('PAYSIM_SECRET_KEY')
    expect(askedBy).toHaveLength(before)
  })

  test.each([
    ['payouts list', ['payouts', 'list']],
    ['request', ['request', 'GET', '/payout_intents']],
    ['probe', ['probe']],
    ['verify', ['verify']],
    ['doctor', ['doctor']],
  ])('%s sends the keys of a profile to no other address, however that is named', async (_, words) => {
    const { url, askedBy } = post('flag')
    const before = askedBy.length
    const runs = await Promise.all([
      kept.paysim([...words, '--base-url', url]),
      kept.paysim([...words, '--base-url', url, '--profile', 'kept']),
      kept.paysim(words, { env: { PAYSIM_BASE_URL: url } }),
    ])
    for (const { code, stdout, stderr } of runs) {
      expect(code, stderr).toBe(2)
      const said = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ')
      expect(said).toMatch(/the keys from profile kept belong to http\S+, not to http/)
      expect(said).toContain('--key-file')
    }
    expect(askedBy).toHaveLength(before)
  })

  test('a command says what to do when nothing is named and nothing runs', async () => {
    const { code, stdout, stderr } = await bare().paysim(['payouts', 'list'])
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    for (const way of ['paysim serve', '--base-url', 'PAYSIM_BASE_URL']) expect(stderr).toContain(way)
  })

  test('a flag or the environment may name a profile; an unknown profile is a usage error', async () => {
    const [named, byEnvironment, slip] = await Promise.all([
      kept.paysim(['payouts', 'list', '--query', 'data[0].id', '--profile', 'kept'], {
        env: environment('environment'),
      }),
      kept.paysim(['payouts', 'list', '--query', 'data[0].id'], { env: { PAYSIM_PROFILE: 'kept' } }),
      kept.paysim(['payouts', 'list', '--profile', 'kpet']),
    ])
    expect([named, byEnvironment]).toMatchObject([
      { stdout: 'from the profile\n' },
      { stdout: 'from the profile\n' },
    ])
    expect(slip).toMatchObject({ code: 2, stdout: '' })
    expect(slip.stderr).toContain('kept')
  })
})

describe('live keys', () => {
  const live = { public_key: 'pk_live_suite', secret_key: 'sk_live_suiteSecret' }
  const test_ = { public_key: 'pk_test_suite', secret_key: 'sk_test_suiteSecret' }

  test('are not sent unencrypted to another machine', async () => {
    for (const keys of [live, test_]) keepKeysSecret(keys)
    // Whatever leaves for the other machine passes here.
    const wire = await openSignpost('flag')
    const env = { http_proxy: wire.url, HTTP_PROXY: wire.url }
    const list = (url: string, keys: typeof live) =>
      bare().paysim(['payouts', 'list', '--retries', '0'], { env: { ...env, ...environmentOf(url, keys) } })
    const [refused, address, allowed] = await Promise.all([
      list('http://gateway.example', live),
      list('http://192.0.2.7:8080/v1', live),
      list('http://gateway.example', test_),
    ])
    for (const { code, stdout, stderr } of [refused, address]) {
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/live/)
    }
    expect(allowed.code, allowed.stderr).toBe(0)
    expect(wire.askedBy).toEqual([test_.public_key])
    wire.close()
  })

  const changes = (ids: { payment: string; payout: string }): [string, string[]?][] => [
    ['payments create', by('th_bank_transfer')],
    [`payments cancel ${ids.payment}`],
    [`payouts cancel ${ids.payout}`],
    [`request POST /payout_intents/${ids.payout}/cancel`],
  ]

  test('change nothing without confirmation', async () => {
    const shop = await liveShop()
    const runs = await Promise.all(
      changes({ payment: 'pi_1', payout: 'po_1' }).flatMap(([words, args]) => [
        shop.paysim(words, args),
        shop.paysim(`${words} --no-input`, args),
      ]),
    )
    for (const { code, stdout, stderr } of runs) {
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('--yes')
    }
    expect(await shop.requests()).toEqual([])
  })

  test('change everything that is confirmed, and read without confirmation', async () => {
    const shop = await liveShop()
    const made = await shop.paysim('payments create --yes -o json', by('th_bank_transfer'))
    expect(made.code, made.stderr).toBe(0)
    const { id, environment } = JSON.parse(made.stdout)
    expect(environment).toBe('live')
    const [first, second] = await Promise.all([shop.payout('one'), shop.payout('two')])
    const runs = await Promise.all([
      shop.paysim(`payments get ${id}`),
      shop.paysim('payouts list'),
      shop.paysim('methods list --amount 15000 --currency THB --country TH'),
      shop.paysim(`payouts cancel ${first.id} --yes`),
      shop.paysim(`request POST /payout_intents/${second.id}/cancel --yes`),
      shop.paysim(`payments cancel ${id} --yes`),
    ])
    expect(runs).toMatchObject(runs.map(() => ({ code: 0 })))
  })

  /** A merchant whose engineer has the live keys in the environment. */
  async function liveShop(): Promise<Shop> {
    const made = await server.merchant({ clock: { mode: 'virtual' } })
    const where = { place: bare(), server, url: server.url, createPath: '/payment_intents', flags: [] }
    return openShop(where, { test: made.live, live: made.live })
  }
})

const environment = (source: Source) => environmentOf(post(source).url, post(source).keys)

interface Arrangement {
  paysim: Workplace['paysim']
  args: string[]
  env: Record<string, string>
}

async function arranged(sources: readonly Source[]): Promise<Arrangement> {
  const { url, keys } = post('flag')
  const { paysim, write } = sources.includes('profile') ? kept : bare()
  const keyFile = await write('flag.keys', `${keys.public_key}:${keys.secret_key}`)
  return {
    paysim,
    args: sources.includes('flag') ? ['--base-url', url, '--key-file', keyFile] : [],
    env: {
      ...(sources.includes('environment') ? environment('environment') : {}),
      ...(sources.includes('simulator') ? { PAYSIM_DATA: server.dataDir } : {}),
    },
  }
}

async function openSignpost(source: Source): Promise<Signpost> {
  const keys = { public_key: `pk_test_${source}`, secret_key: `sk_test_${source}Secret` }
  keepKeysSecret(keys)
  const askedBy: string[] = []
  const site = await openSite((asked, answer) => {
    const [, basic = ''] = (asked.headers.authorization ?? '').split(' ')
    askedBy.push(Buffer.from(basic, 'base64').toString().split(':')[0] ?? '')
    const payout = {
      id: `from the ${source}`,
      object: 'payout_intent',
      amount: '1',
      currency: 'THB',
      status: 'processing',
    }
    answer.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
    answer.end(JSON.stringify({ data: [payout], has_more: false, next_cursor: null }))
  })
  return { ...site, keys, askedBy }
}
