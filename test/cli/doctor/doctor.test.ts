import { chmod, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as openPort } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { openWorkplace } from '../../support/cli/workplace.ts'
import { CERTIFICATE, KEY } from '../../support/client/certificate.ts'
import { type Server, startServer } from '../../support/gateway/server.ts'

/** `paysim doctor` finds what is wrong, says what to do, and ends as a call would. */

let server: Server
let place: Awaited<ReturnType<typeof openWorkplace>>
beforeAll(async () => {
  server = await startServer({ args: ['--ephemeral'] })
  place = await openWorkplace()
})
afterAll(async () => {
  await Promise.all([server.stop(), place.close()])
})

interface Check {
  check: string
  verdict: string
  message: string
  advice: string | null
}

interface Diagnosis {
  code: number | undefined
  checks: Check[]
  overrides: Record<string, string>
  /** Those of a name, as verdict and message. */
  of: (check: string) => string[]
}

async function diagnose(args: string[], { env = {}, input = '' } = {}): Promise<Diagnosis> {
  const { code, stdout, stderr } = await place.paysim(['doctor', '-o', 'json', ...args], { env, input })
  expect(stderr).toBe('')
  const { checks, overrides, exit_code } = JSON.parse(stdout)
  expect(exit_code).toBe(code)
  const of = (name: string) =>
    checks
      .filter(({ check }: Check) => check === name)
      .map(({ verdict, message }: Check) => `${verdict}: ${message}`)
  return { code, checks, overrides, of }
}

const keys = () => {
  const account = server.accounts.find(({ id }) => id === 'default.test')
  return `${account?.public_key}:${account?.secret_key}`
}
const withKeys = (url: string) => ['--base-url', url, '--key-file', '-']
const STRANGER = 'pk_test_nobody:sk_test_nobody'

const site = async (listener: RequestListener) => {
  const { url, close } = await openSite(listener)
  onTestFinished(close)
  return url
}

test('says why each open payment and payout waits, and what would bring it', async () => {
  const own = await startServer({ args: ['--ephemeral'] })
  const at = await openWorkplace()
  onTestFinished(async () => {
    await Promise.all([own.stop(), at.close()])
  })
  const { id, test: account } = await own.merchant({})
  const env = {
    PAYSIM_CONTROL_URL: own.controlUrl,
    PAYSIM_CONTROL_TOKEN: own.controlToken,
    PAYSIM_ACCOUNT: `${id}.test`,
  }
  const waiting = async () => {
    const { stdout } = await at.paysim(['doctor', '-o', 'json'], { env })
    return (JSON.parse(stdout).checks as Check[]).filter(({ check }) => check === 'waiting')
  }
  expect(await waiting()).toEqual([])
  const call = own.as(account)
  const common = { amount: '10000', currency: 'THB', country: 'TH', customer: {} }
  const make = (more: object) => call('POST', '/payment_intents', { body: { ...common, ...more } })
  const hosted = await make({ merchant_reference: 'order-1' })
  const expiring = await make({
    checkout_mode: 'merchant',
    payment_method: 'th_promptpay',
    merchant_reference: 'order-2-action-late',
  })
  await make({
    checkout_mode: 'merchant',
    payment_method: 'th_promptpay',
    merchant_reference: 'order-3-succeeds',
  })
  const found = await waiting()
  expect(found.toReversed()).toMatchObject([
    {
      verdict: 'warning',
      message: expect.stringMatching(`^${hosted.body.id} order-1: It waits for the payer to choose a method`),
      advice: expect.stringMatching(
        `^run \`paysim sim payments choose ${hosted.body.id} \\w+ --account ${id}\\.test\`$`,
      ),
    },
    {
      verdict: 'ok',
      message: expect.stringMatching(
        `^${expiring.body.id} order-2-action-late: The provider is still preparing`,
      ),
      advice: null,
    },
  ])
})

describe('a simulator', () => {
  test('passes every check, and no call changes anything', async () => {
    const { code, checks, overrides } = await diagnose(withKeys(server.url), { input: keys() })
    expect(checks.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
    expect([code, overrides]).toEqual([0, {}])
    expect(checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'node',
        'target',
        'tcp',
        'api',
        'clock',
        'keys',
        'environment',
        'errors.body',
        'create.path',
      ]),
    )
    const metrics = (await server.control('GET', '/metrics')).text
    const counted = metrics.split('\n').filter(line => line.includes('default.test'))
    expect(counted.join('\n')).not.toMatch(/method="(?:POST|PUT|PATCH|DELETE)"/)
    expect(counted.join('\n')).toMatch(/method="GET"/)
  })

  test('does not find what was asked here among the calls of a program', async () => {
    await diagnose(withKeys(server.url), { input: keys() })
    const account = '/accounts/default.test'
    const { data } = (await server.control('GET', `${account}/requests`)).body
    expect(data).toEqual([])
  })

  test('is reported in lines, each with a mark', async () => {
    const { code, stdout } = await place.paysim(['doctor', ...withKeys(server.url)], { input: keys() })
    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines.at(-1)).toBe('No problems found.')
    expect(lines.filter(line => line.startsWith('✓ ')).length).toBeGreaterThan(12)
  })

  test('that runs here is found, with its control surface', async () => {
    const here = await startServer()
    onTestFinished(async () => {
      await here.stop()
    })
    const env = { PAYSIM_DATA: here.dataDir }
    const { code, of } = await diagnose([], { env })
    expect(code).toBe(0)
    expect(of('target')[0]).toContain('the local simulator, default.test')
    expect(of('simulator')).toEqual([expect.stringMatching(/^ok: .*_paysim.* 1 merchant$/)])
    await here.kill()
    const after = await diagnose([], { env })
    expect(after.code).toBe(7)
    expect(after.of('simulator')).toEqual([expect.stringMatching(/^warning: .*does not answer/)])
  })
})

describe('a server with other decisions', () => {
  let other: Server
  const DECISIONS = {
    'auth.failure_status': '403',
    'errors.body': 'problem',
    'methods.banks_empty': 'omit',
    'methods.payer_keys': 'relevant',
    'list.last_cursor': 'empty',
  }
  beforeAll(async () => {
    const contract = await place.write(
      'other.json',
      JSON.stringify({ ...DECISIONS, 'create.path': '/v2/payments' }),
    )
    other = await startServer({ args: ['--ephemeral', '--contract', contract] })
  })
  afterAll(() => other.stop())

  const env = () => {
    const { public_key = '', secret_key = '' } = other.accounts[0] ?? {}
    return { PAYSIM_BASE_URL: other.url, PAYSIM_PUBLIC_KEY: public_key, PAYSIM_SECRET_KEY: secret_key }
  }

  test('is described, with a matching contract file', async () => {
    const { code, overrides, checks } = await diagnose([], { env: env() })
    expect([code, overrides]).toEqual([0, DECISIONS])
    const differing = checks.filter(({ verdict }) => verdict === 'warning')
    expect(differing.map(({ check }) => check).sort()).toEqual(
      [...Object.keys(DECISIONS), 'create.path'].sort(),
    )
    expect(differing.every(({ advice }) => advice?.includes('contract'))).toBe(true)
  })

  test('passes every check with that file', async () => {
    const { code, checks } = await diagnose(['--contract', place.path('other.json')], { env: env() })
    expect(checks.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
    expect(code).toBe(0)
  })
})

describe('ends with 7 when this API does not answer:', () => {
  test('the host name does not exist', async () => {
    const { code, of } = await diagnose(withKeys('http://no-such-host.invalid'), { input: STRANGER })
    expect(of('dns')).toEqual([expect.stringMatching(/^fault: cannot resolve no-such-host\.invalid/)])
    expect([code, of('tcp')]).toEqual([7, []])
  })

  test('nothing listens on the port', async () => {
    const { code, of } = await diagnose(withKeys(`http://127.0.0.1:${await closedPort()}`), {
      input: STRANGER,
    })
    expect(of('tcp')).toEqual([expect.stringContaining('ECONNREFUSED')])
    expect([code, of('api')]).toEqual([7, []])
  })

  test('no TLS, and an untrusted certificate', async () => {
    const { port } = new URL(server.url)
    const plain = await diagnose(withKeys(`https://127.0.0.1:${port}`), { input: STRANGER })
    expect([plain.code, plain.of('tls')]).toEqual([7, [expect.stringMatching(/^fault/)]])

    const secure = createServer({ cert: CERTIFICATE, key: KEY }, (_, answer) => answer.end('{"methods": []}'))
    await new Promise<void>(resolve => secure.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void secure.close())
    const url = `https://localhost:${(secure.address() as AddressInfo).port}`
    const unknown = await diagnose(withKeys(url), { input: STRANGER })
    expect([unknown.code, unknown.of('dns').length]).toEqual([7, 1])
    expect(unknown.checks.find(({ check }) => check === 'tls')?.advice).toContain('--ca-file')
    const ca = await place.write('ca.pem', CERTIFICATE)
    const known = await diagnose([...withKeys(url), '--ca-file', ca], { input: STRANGER })
    expect(known.of('tls')).toEqual([expect.stringMatching(/^ok: TLSv1.*localhost, valid until 2126-/)])
  })

  test('a web page, and a path that does not exist', async () => {
    const page = await site((_, answer) => answer.setHeader('content-type', 'text/html').end('<h1>Shop</h1>'))
    const { code, of } = await diagnose(withKeys(page), { input: STRANGER })
    expect([code, of('api')]).toEqual([7, [expect.stringContaining('text/html')]])
    const other = await diagnose([...withKeys(`${server.url}/v1`)], { input: keys() })
    expect([other.code, other.of('api')]).toEqual([7, [expect.stringContaining('the path does not exist')]])
  })

  test('the proxy in the environment does not exist', async () => {
    const env = { HTTP_PROXY: `http://user:word@127.0.0.1:${await closedPort()}` }
    const { code, checks, of } = await diagnose(withKeys('http://api.example'), { env, input: STRANGER })
    expect([code, of('dns')]).toEqual([7, []])
    expect(of('proxy')).toEqual([
      expect.stringMatching(/^ok: http:\/\/127\.0\.0\.1:\d+, from the environment$/),
    ])
    expect(checks.find(({ check }) => check === 'tcp')?.advice).toContain('proxy')
  })
})

describe('ends with', () => {
  test('3 when the keys are refused', async () => {
    const { code, of } = await diagnose(withKeys(server.url), { input: STRANGER })
    expect([code, of('keys')]).toEqual([
      3,
      [expect.stringMatching(/^fault: refused.*unauthorized, HTTP 401/)],
    ])
  })

  test('1 when the server fails', async () => {
    const broken = await site((_, answer) => answer.writeHead(500).end('{"error":{"code":"internal_error"}}'))
    const { code, of } = await diagnose([...withKeys(broken), '--retries', '0'], { input: STRANGER })
    expect([code, of('api')]).toEqual([1, [expect.stringContaining('500 internal_error')]])
  })

  test('2 without an address or without keys', async () => {
    const nowhere = await diagnose([])
    expect([nowhere.code, nowhere.of('target')]).toEqual([2, [expect.stringContaining('no API to call')]])
    const keyless = await diagnose(['--base-url', server.url])
    expect([keyless.code, keyless.of('credentials')]).toEqual([2, [expect.stringContaining('no keys')]])
    expect(keyless.of('tcp')).toEqual([expect.stringMatching(/^ok/)])
  })

  test('2 before it sends a live key unencrypted', async () => {
    const { code, of } = await diagnose(withKeys('http://api.example'), { input: 'pk_live_a:sk_live_b' })
    expect([code, of('target'), of('dns')]).toEqual([2, [expect.stringContaining('plain http')], []])
  })
})

describe('finds', () => {
  test('that the clocks disagree', async () => {
    const hour = 3_600_000
    const late = await site((_, answer) => {
      answer.setHeader('date', new Date(Date.now() - hour).toUTCString())
      answer.end('{"environment":"test","methods":[]}')
    })
    const { code, of } = await diagnose(withKeys(late), { input: STRANGER })
    const [told = ''] = of('clock')
    expect(told).toMatch(/^warning: this machine is \d+ s ahead of the server$/)
    expect(Math.abs(Number(/(\d+) s/.exec(told)?.[1]) - hour / 1000)).toBeLessThan(60)
    expect(code).toBe(0)
  })

  test('a server that assigns the key to another environment', async () => {
    const wrong = await site((_, answer) => answer.end('{"environment":"live","methods":[]}'))
    const { code, of } = await diagnose(withKeys(wrong), { input: STRANGER })
    expect([code, of('environment')]).toEqual([3, [expect.stringMatching(/^fault: the key is a test key/)]])
  })

  test('keys and an address that come from different places', async () => {
    await place.writeProfiles({
      current: 'shop',
      profiles: {
        shop: { base_url: 'https://api.example', public_key: 'pk_test_a', secret_key: 'sk_test_b' },
      },
    })
    const { code, of } = await diagnose(['--base-url', 'http://127.0.0.1:9'])
    expect(code).toBe(2)
    expect(of('target')).toEqual([
      expect.stringMatching(/^fault: the keys from profile shop belong to https:\/\/api\.example, not to/),
    ])
  })

  test.skipIf(process.platform === 'win32')(
    'profiles that others can read, and a current profile that does not exist',
    async () => {
      await place.writeProfiles({ current: 'till', profiles: {} })
      const file = place.path('../home/config/paysim/profiles.json')
      await chmod(file, 0o640)
      const { code, stdout } = await place.paysim(['doctor', '-o', 'json'])
      const { checks } = JSON.parse(stdout)
      expect(code).toBe(2)
      expect(checks).toContainEqual(
        expect.objectContaining({
          check: 'permissions',
          verdict: 'warning',
          advice: expect.stringContaining('chmod 600'),
        }),
      )
      expect(checks).toContainEqual(expect.objectContaining({ check: 'profiles', verdict: 'fault' }))
      await writeFile(file, '{"current": null}', { mode: 0o600 })
    },
  )
})

async function closedPort(): Promise<number> {
  const probe = openPort()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}
