import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { WebhookHostError, WebhookHosts } from '../../src/engine/webhooks/webhook-hosts.ts'

const problem = (url: string, ...allowed: string[]) => new WebhookHosts(allowed).problem(new URL(url))

/** What a connection to a name is given, where the name has these addresses. */
function connect(name: string, addresses: readonly string[], ...allowed: string[]) {
  const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const hosts = new WebhookHosts(allowed, (_, done) => done(null, found))
  return new Promise<string[]>((resolve, reject) =>
    hosts.lookup(name, { all: true }, (error, given) =>
      error ? reject(error) : resolve((given as LookupAddress[]).map(({ address }) => address)),
    ),
  )
}

describe('without --allow-webhooks', () => {
  test.each([
    'http://127.0.0.1:9/',
    'http://127.8.9.1/',
    'http://[::1]:9/',
    'http://localhost/',
    'http://shop.localhost/',
  ])('%s is allowed', url => expect(problem(url)).toBeUndefined())

  test.each([
    'http://10.0.0.1/',
    'http://192.168.1.10/',
    'http://0.0.0.0/',
    'http://0/',
    'http://100.64.0.1/',
    'http://169.254.1.1/',
    'http://2130706433.example/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://hooks.example.com/',
    'http://localhost.example.com/',
  ])('%s is not', url => expect(problem(url)).toContain('--allow-webhooks'))

  test('does not connect to a local name that leads elsewhere', async () => {
    expect(await connect('shop.localhost', ['10.0.0.1', '127.0.0.1'])).toEqual(['127.0.0.1'])
    await expect(connect('localhost', ['10.0.0.1'])).rejects.toThrow(WebhookHostError)
  })
})

describe('a name that is allowed', () => {
  test('is connected to at its addresses, local or not', async () => {
    expect(await connect('hooks.example', ['203.0.113.7', '10.0.0.1'], 'hooks.example')).toEqual([
      '203.0.113.7',
      '10.0.0.1',
    ])
  })

  test.each(['169.254.1.1', '100.64.0.1', '0.0.0.0', '64:ff9b::a00:1', '::ffff:10.0.0.1', 'fe80::1'])(
    'is not connected to at %s unless that is named too',
    async address => {
      await expect(connect('hooks.example', [address], 'hooks.example')).rejects.toThrow(address)
      expect(await connect('hooks.example', [address], 'hooks.example', address)).toEqual([address])
    },
  )

  test('is allowed only with its port, if one is given', () => {
    expect(problem('http://hooks.example:3000/', 'hooks.example:3000')).toBeUndefined()
    expect(problem('http://hooks.example:3001/', 'hooks.example:3000')).toContain('hooks.example')
    expect(problem('http://127.0.0.1.example/', '127.0.0.1')).toContain('127.0.0.1.example')
  })
})

describe('a range', () => {
  test('allows only its addresses', () => {
    expect(problem('http://10.1.2.3/', '10.0.0.0/8')).toBeUndefined()
    expect(problem('http://11.1.2.3/', '10.0.0.0/8')).toContain('11.1.2.3')
    expect(problem('http://100.64.3.2/', '100.64.0.0/10')).toBeUndefined()
    expect(problem('http://[fd12::5]/', 'fd12::/16')).toBeUndefined()
    expect(problem('http://10.1.2.3/', '::/0')).toContain('10.1.2.3')
  })
})

describe('metadata services', () => {
  const everything = ['0.0.0.0/0', '::/0', 'hooks.example']
  test.each([
    '169.254.169.254',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2001:0:a9fe:a9fe::1',
    '2001::5601:5601',
    '168.63.129.16',
    '192.0.0.192',
  ])('%s never receives webhooks', async address => {
    const url = address.includes(':') ? `http://[${address}]/` : `http://${address}/`
    expect(problem(url, address, ...everything)).toContain('metadata')
    await expect(connect('hooks.example', [address], address, ...everything)).rejects.toThrow('metadata')
  })
})

test.each([
  '',
  'http://hooks.example',
  'hooks.example/path',
  '10.0.0.0/33',
  '10.0.0.0/x',
  'a b',
  'me@hooks.example',
])('%j cannot be allowed: it is not a host, address or range', text =>
  expect(() => new WebhookHosts([text])).toThrow(/such as 10\.0\.0\.0\/8/),
)
