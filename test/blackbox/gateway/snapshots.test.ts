import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { accountOf, type Json, rows, succeeded } from '../../support/gateway/merchant.ts'
import {
  type AccountKeys,
  removeDirectory,
  runBinary,
  type Server,
  startServer,
} from '../../support/gateway/server.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { openReceiver, subscribe } from '../../support/webhooks/receiver.ts'

/** `--from` and `--export-on-exit`: a server begins with what another one left. */

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'paysim-snapshot-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const ofDefault = (server: Server, environment = 'test') =>
  accountOf(server, server.accounts.find(({ id }) => id === `default.${environment}`) as AccountKeys)

/** What a server left whose webhooks go nowhere, for tests that leave the file as it is. */
let left: { file: string; payment: Json }
beforeAll(async () => {
  const place = await mkdtemp(join(tmpdir(), 'paysim-snapshot-'))
  const file = join(place, 'shop.json')
  const server = await startServer({ args: ['--clock', 'virtual', '--export-on-exit', file] })
  await subscribe(ofDefault(server), 'http://127.0.0.1:9/hook')
  left = { file, payment: await createPayment(ofDefault(server)) }
  await server.stop()
  return () => Promise.all([place, server.dataDir].map(removeDirectory))
})

/** A file with a pending payment, whose webhooks go to this receiver. */
async function snapshot(receiver: string, environment = 'test') {
  const file = join(await folder(), 'shop.json')
  const exporting = environment === 'test' ? ['--export-on-exit', file] : []
  const server = await ownServer({ args: ['--clock', 'virtual', ...exporting] })
  const account = ofDefault(server, environment)
  await subscribe(account, receiver)
  const payment = await createPayment(account)
  if (environment === 'live')
    await writeFile(file, JSON.stringify(await succeeded(account.control('GET', '/export'))))
  expect(await server.stop()).toBe(0)
  return { file, payment }
}

test('a server begins with what another one left, and sends nothing to its endpoints', async () => {
  const receiver = await openReceiver()
  const { file, payment } = await snapshot(receiver.url)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const server = await ownServer({ args: ['--ephemeral', '--from', file] })
  const account = ofDefault(server)
  const { status, body } = await account.call('GET', `/payment_intents/${payment.id}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ merchant_reference: payment.merchant_reference, status: payment.status })
  expect(await rows(account.control('GET', '/webhook-endpoints'))).toEqual([])
  expect((await succeeded(account.control('GET', '/clock'))).mode).toBe('virtual')
  await succeeded(account.control('POST', `/payments/${payment.id}/succeed`))
  await account.advance('1h')
  expect(receiver.deliveries).toEqual([])
  expect((await createPayment(account)).id).not.toBe(payment.id)
})

test('with --keep-endpoints, webhooks go there too', async () => {
  const receiver = await openReceiver()
  const { file, payment } = await snapshot(receiver.url)
  const server = await ownServer({ args: ['--from', file, '--keep-endpoints', '--clock', 'real'] })
  const account = ofDefault(server)
  expect((await succeeded(account.control('GET', '/clock'))).mode).toBe('real')
  await succeeded(account.control('POST', `/payments/${payment.id}/succeed`))
  const [delivery] = await receiver.arrived(1)
  expect(delivery?.event).toMatchObject({ type: 'payment.succeeded', data: { id: payment.id } })
})

test('an export of a live account is imported into the live one', async () => {
  const receiver = await openReceiver()
  const { file, payment } = await snapshot(receiver.url, 'live')
  const server = await ownServer({ args: ['--from', file] })
  const call = (environment: string) =>
    ofDefault(server, environment).call('GET', `/payment_intents/${payment.id}`)
  expect([(await call('live')).status, (await call('test')).status]).toEqual([200, 404])
})

test('a round trip changes nothing', async () => {
  const { file } = left
  // The secret of an endpoint is sealed for its account, which is another one each time.
  const entriesOf = async (path: string) =>
    JSON.parse((await readFile(path, 'utf8')).replaceAll(/sealed_[\w-]+/g, 'sealed')).entries
  const again = join(await folder(), 'again.json')
  const server = await ownServer({
    args: ['--ephemeral', '--from', file, '--keep-endpoints', '--export-on-exit', again],
  })
  await server.stop()
  expect(await entriesOf(again)).toEqual(await entriesOf(file))
})

const serve = (...args: string[]) => runBinary(['serve', '--json', '--port', '0', ...args])

test('a store that has merchants is refused, and stays as it is', async () => {
  const { file, payment } = left
  const server = await ownServer()
  const made = await createPayment(ofDefault(server))
  await server.stop()
  const { code, stderr, stdout } = await serve('--data', server.dataDir, '--from', file)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('the store has merchants already')
  const after = ofDefault(await ownServer({ dataDir: server.dataDir }))
  expect((await after.call('GET', `/payment_intents/${made.id}`)).status).toBe(200)
  expect((await after.call('GET', `/payment_intents/${payment.id}`)).status).toBe(404)
})

test('a file that was not exported is refused, and the store is still new', async () => {
  const { file } = left
  const whole = JSON.parse(await readFile(file, 'utf8'))
  const other = join(await folder(), 'other.json')
  const data = join(await folder(), 'data')
  const [first, ...rest] = whole.entries
  for (const [content, says] of [
    ['', 'well-formed JSON'],
    ['{"paysim":1}', 'is required'],
    [JSON.stringify(whole).slice(0, -30), 'well-formed JSON'],
    [JSON.stringify({ ...whole, entries: [...rest, first] }), 'entries'],
    [JSON.stringify({ ...whole, account: 'shop' }), 'environment test'],
  ] as const) {
    await writeFile(other, content)
    const { code, stderr } = await serve('--data', data, '--from', other)
    expect(code, content.slice(0, 40)).toBe(2)
    expect(stderr).toContain(`cannot start from ${other}: `)
    expect(stderr).toContain(says)
  }
  for (const path of [join(data, 'none'), await folder()])
    expect(await serve('--data', data, '--from', path)).toMatchObject({ code: 2 })
  const server = await ownServer({ dataDir: data, args: ['--from', file] })
  expect(await rows(server.control('GET', '/merchants'))).toHaveLength(1)
})

test('what cannot be exported is refused at the start', async () => {
  const place = join(await folder(), 'out.json')
  for (const [args, says] of [
    [['--export-on-exit', place, '--history', '7d'], 'leave out --export-on-exit or --history'],
    [['--export-on-exit', join(place, 'in-a-file-that-is-not')], `cannot export to ${place}`],
    [['--export-on-exit', await folder()], 'it is a folder'],
    [['--keep-endpoints'], 'give --from with --keep-endpoints'],
  ] as const) {
    const { code, stderr } = await serve('--data', join(await folder(), 'data'), ...args)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(says) })
  }
})

test('an export that fails at the end is said, and seen in the exit code', async () => {
  const place = await folder()
  await mkdir(join(place, 'out'))
  const file = join(place, 'out', 'shop.json')
  const server = await ownServer({ args: ['--export-on-exit', file] })
  await rm(join(place, 'out'), { recursive: true })
  await chmod(place, 0o700)
  expect(await server.stop()).toBe(1)
  expect(server.stderr()).toContain(`was not exported to ${file}`)
})

test('an earlier export stays whole until the new one is', async () => {
  const place = await folder()
  const file = join(place, 'shop.json')
  const server = await ownServer({ args: ['--export-on-exit', file] })
  await writeFile(file, 'the earlier one')
  expect(await server.stop()).toBe(0)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ paysim: 1, account: 'default.test' })
  expect(await readdir(place)).toEqual(['shop.json'])
})

test('exec begins with a file, and leaves one', async () => {
  const { file, payment } = left
  const next = join(await folder(), 'next.json')
  const script = `
    const { PAYSIM_BASE_URL: url, PAYSIM_PUBLIC_KEY: key, PAYSIM_SECRET_KEY: secret } = process.env
    const authorization = 'Basic ' + Buffer.from(key + ':' + secret).toString('base64')
    const answer = await fetch(url + '/payment_intents/${payment.id}', { headers: { authorization } })
    console.log(answer.status)`
  const command = ['--', process.execPath, '--input-type=module', '-e', script]
  const { code, stdout, stderr } = await runBinary([
    'exec',
    '--from',
    file,
    '--export-on-exit',
    next,
    ...command,
  ])
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '200\n' })
  expect(await readFile(next, 'utf8')).toContain(payment.id)
})
