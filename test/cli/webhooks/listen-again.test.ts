import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkplace, type Workplace } from '../../support/cli/workplace.ts'
import { openApplication } from '../../support/webhooks/application.ts'

// What outlives one `webhooks listen`: its secret, with --keep its endpoint, and its wish to hear of a server that
// was started again.

async function workplace(): Promise<Workplace> {
  const place = await openWorkplace()
  onTestFinished(place.close)
  return place
}

async function serving(place: Workplace, ...args: string[]) {
  const server = place.start(['serve', '--json', '--port', '0', ...args])
  const said = await server.says(/"event":"ready".*\n/)
  const stop = async () => {
    server.interrupt()
    await server.ended
  }
  onTestFinished(stop)
  return { stop, ready: JSON.parse(said.split('\n').find(line => line.includes('"ready"')) ?? '') }
}

async function listening(place: Workplace, ...args: string[]) {
  const listener = place.start(['webhooks', 'listen', '--print-secret', ...args])
  onTestFinished(async () => {
    listener.interrupt()
    await listener.ended
  })
  const greeting = await listener.says(/Secret: whsec_\S+\n/)
  return { ...listener, greeting, secret: /whsec_\S+/.exec(greeting)?.[0] ?? '' }
}

const pay = async (place: Workplace) => {
  const { code, stdout, stderr } = await place.paysim([
    ...['payments', 'create', '--amount', '15000', '--currency', 'THB', '--country', 'TH', '--query', 'id'],
    ...[
      '--checkout-mode',
      'merchant',
      '--payment-method',
      'th_promptpay',
      '--merchant-reference',
      'a-succeeds',
    ],
  ])
  expect(code, stderr).toBe(0)
  return stdout.trim()
}

const endpoints = async (place: Workplace): Promise<{ url: string; secret: string }[]> =>
  JSON.parse((await place.paysim(['sim', 'endpoints', '-o', 'json', '--query', 'data'])).stdout)

test('the secret stays the same or is the given one, and only its owner can read it', async () => {
  const place = await workplace()
  const { stop } = await serving(place)
  const first = await listening(place)
  expect((await endpoints(place)).map(({ secret }) => secret)).toEqual([first.secret])
  first.interrupt()
  await first.ended
  await stop()
  await serving(place)
  const second = await listening(place)
  expect(second.secret).toBe(first.secret)
  second.interrupt()
  await second.ended
  const given = `whsec_${Buffer.alloc(24, 'a').toString('base64')}`
  const third = await listening(place, '--secret', given)
  expect([third.secret, (await endpoints(place))[0]?.secret]).toEqual([given, given])
  third.interrupt()
  await third.ended
  expect((await listening(place)).secret).toBe(given)
  const file = place.path('.paysim/webhook-secret')
  expect((await stat(file)).mode & 0o077).toBe(0)
  expect((await readFile(file, 'utf8')).trim()).toBe(given)
  for (const wrong of [
    'whsec_short',
    `whsec_${'A'.repeat(33)}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ])
    expect(await place.paysim(['webhooks', 'listen', '--secret', wrong])).toMatchObject({
      code: 2,
      stdout: '',
    })
})

test('the secret is kept for the folder when the server runs in memory', async () => {
  const place = await workplace()
  const { stop } = await serving(place, '--ephemeral')
  const first = await listening(place)
  first.interrupt()
  await first.ended
  await stop()
  await serving(place, '--ephemeral')
  expect((await listening(place)).secret).toBe(first.secret)
  const kept = join(place.path(''), '..', 'home', '.local/state/paysim/webhook-secrets')
  expect((await stat(kept)).mode & 0o077).toBe(0)
})

test('--keep: the next start delivers what happened in between, with the same secret', async () => {
  const place = await workplace()
  await serving(place)
  const first = await listening(place, '--keep')
  first.interrupt()
  const { stderr } = await first.ended
  expect(stderr).toContain('stays')
  expect(await endpoints(place)).toHaveLength(1)
  const id = await pay(place)
  await expect
    .poll(async () => {
      const { stdout } = await place.paysim(['sim', 'deliveries', '-o', 'json'])
      return JSON.parse(stdout).data[0]?.attempts.length ?? 0
    })
    .toBeGreaterThan(0)
  const second = await listening(place, '-o', 'jsonl', '--count', '1')
  const { code, stdout, stderr: told } = await second.ended
  expect(code, told).toBe(0)
  expect(told).toContain('Sending 1 webhook that waited since an earlier start.')
  expect(JSON.parse(stdout)).toMatchObject({ type: 'payment.succeeded', signature: 'valid' })
  expect(stdout).toContain(id)
  expect(await endpoints(place)).toEqual([])
})

test.each([['--data', '.paysim'], ['--ephemeral']])(
  'listen finds a restarted server on another port: %s %s',
  async (...args) => {
    const place = await workplace()
    const flags = args.filter(Boolean)
    const first = await serving(place, ...flags)
    const listener = await listening(place, '-o', 'jsonl', '--count', '1')
    await first.stop()
    await listener.says(/the simulator does not answer/)
    const again = await serving(place, ...flags)
    const said = await listener.says(/the simulator is back at \S+: .*registered/)
    expect(said).toContain(
      `at ${again.ready.url}: the endpoint is ${flags[0] === '--ephemeral' ? 'registered again' : 'still registered'}`,
    )
    const id = await pay(place)
    const { code, stdout, stderr } = await listener.ended
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ signature: 'valid' })
    expect(stdout).toContain(id)
    expect(await endpoints(place)).toEqual([])
  },
)

test('--forward-to with only a port means this machine', async () => {
  const place = await workplace()
  await serving(place)
  const app = await openApplication({ status: 200 })
  onTestFinished(app.close)
  const listener = await listening(place, '--count', '1', '--forward-to', new URL(app.url).port)
  expect(listener.greeting).toContain('forwarding to http://localhost:')
  await pay(place)
  const { code, stderr } = await listener.ended
  expect(code, stderr).toBe(0)
  expect(app.heard).toHaveLength(1)
})

test('--forward-to needs no scheme, and a 4xx is reported with the validity of the signature', async () => {
  const place = await workplace()
  await serving(place)
  const app = await openApplication({ status: 401 })
  onTestFinished(app.close)
  const listener = await listening(
    place,
    '--count',
    '1',
    '--forward-to',
    app.url.replace('http://127.0.0.1', 'localhost'),
  )
  expect(listener.greeting).toContain('forwarding to http://localhost:')
  await pay(place)
  const { code, stderr } = await listener.ended
  expect(code).toBe(0)
  expect(app.heard).toHaveLength(1)
  expect(stderr).toContain('your application answered 401, but the signature was valid')
})

test('listen registers again when the account is reset or replaced by an import', async () => {
  const place = await workplace()
  await serving(place)
  await pay(place)
  await writeFile(place.path('account.json'), (await place.paysim(['sim', 'export'])).stdout)
  const listener = await listening(place, '-o', 'jsonl', '--count', '2')
  for (const [nth, args] of [
    ['reset', '--all', '--yes'],
    ['import', 'account.json'],
  ].entries()) {
    // What it said the first time still stands there the second time.
    const again = listener.says(
      new RegExp(`(reset or replaced: the endpoint is registered again[^]*){${nth + 1}}`),
    )
    const { code, stderr } = await place.paysim(['sim', ...args])
    expect(code, stderr).toBe(0)
    await again
    expect(await endpoints(place)).toHaveLength(1)
    await pay(place)
  }
  const { code, stderr } = await listener.ended
  expect(code, stderr).toBe(0)
})
