import { access, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStream } from '../../support/gateway/event-stream.ts'
import { accountOf, openAccount } from '../../support/gateway/merchant.ts'
import { scratchDirectory, serveIn, serveUntilExit } from '../../support/gateway/serve-process.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { openSocket } from '../../support/http/raw-socket.ts'
import { createPayment } from '../../support/payments/payments.ts'

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

describe('server.json', () => {
  test('contains the fields of the ready line while the server runs', async () => {
    const directory = await scratchDirectory()
    const { ready } = await serveIn(directory, ['--port', '0', '--data', directory])
    const { event, ...facts } = ready
    expect(event).toBe('ready')
    expect(Object.keys(facts).sort()).toEqual([
      'accounts',
      'control_token',
      'control_url',
      'dashboard_url',
      'data_dir',
      'listen',
      'node',
      'store',
      'url',
    ])
    expect(facts).toMatchObject({ listen: facts.url, store: `file:${directory}` })
    expect(JSON.parse(await readFile(join(directory, 'server.json'), 'utf8'))).toMatchObject(facts)
  })

  test.skipIf(process.platform === 'win32')('is readable only by its owner', async () => {
    const server = await ownServer()
    expect((await stat(join(server.dataDir, 'server.json'))).mode & 0o777).toBe(0o600)
  })

  test('the server answers requests once the ready line is printed', async () => {
    const server = await ownServer()
    expect((await server.control('GET', '/ready')).status).toBe(200)
    expect(server.accounts.map(({ id, environment }) => [id, environment]).sort()).toEqual([
      ['default.live', 'live'],
      ['default.test', 'test'],
    ])
    for (const keys of server.accounts)
      expect((await server.as(keys)('GET', '/payout_intents')).status).toBe(200)
  })
})

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('by %s exits 0 and removes server.json', async signal => {
    const directory = await scratchDirectory()
    const { stop } = await serveIn(directory, ['--port', '0', '--data', directory])
    expect(await exists(join(directory, 'server.json'))).toBe(true)
    expect(await stop(signal)).toBe(0)
    expect(await exists(join(directory, 'server.json'))).toBe(false)
  })

  test('does not wait for open streams, idle connections or half-sent requests', async () => {
    const server = await ownServer()
    const account = await openAccount(server)
    await openStream(server, account)
    await createPayment(account)
    openSocket(server.url)
    openSocket(server.url).write(
      'POST /payment_intents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
    )
    expect(await server.stop()).toBe(0)
  })
})

describe('one directory, one server', () => {
  test("refuses a second server with the first's pid, and does not disturb the first", async () => {
    const first = await ownServer()
    const { code, stdout, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', first.dataDir])
    expect([1, 2]).toContain(code)
    expect(stdout).toBe('')
    expect(stderr).toMatch(new RegExp(`\\b${first.pid}\\b`))
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(JSON.parse(await readFile(join(first.dataDir, 'server.json'), 'utf8')).url).toBe(first.url)
    await createPayment(await openAccount(first))
  })

  test('the files of a crashed server do not block the next one', async () => {
    const first = await ownServer()
    const account = await openAccount(first)
    const payment = await createPayment(account)
    await first.kill()
    expect(await exists(join(first.dataDir, 'server.json'))).toBe(true)
    const second = await ownServer({ dataDir: first.dataDir })
    expect(await accountOf(second, account.keys).read(payment.id)).toEqual(payment)
    expect(JSON.parse(await readFile(join(first.dataDir, 'server.json'), 'utf8')).url).toBe(second.url)
  })

  test.each(['', '{', 'null', '{"pid":"x"}'])(
    'an invalid server.json does not block the next server: %j',
    async text => {
      const first = await ownServer()
      await first.stop()
      await writeFile(join(first.dataDir, 'server.json'), text)
      const second = await ownServer({ dataDir: first.dataDir })
      expect((await second.control('GET', '/health')).status).toBe(200)
    },
  )

  test('of three servers started at once, only one runs', async () => {
    const directory = await scratchDirectory()
    const starts = await Promise.allSettled(
      Array.from({ length: 3 }, () => serveIn(directory, ['--port', '0', '--data', directory])),
    )
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
})
