import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Account } from '../../../src/engine/account/account.ts'
import type { Change, ChangeLog } from '../../../src/engine/store/change-log.ts'
import { drawMerchant } from '../../../src/engine/store/new-merchant.ts'
import { Registry } from '../../../src/engine/store/registry.ts'
import { MemoryStore } from '../../../src/engine/store/store.ts'
import { StartError } from '../../../src/engine/store/store-errors.ts'
import { Simulator } from '../../../src/simulator.ts'

/** A promise and what settles it. */
function gate() {
  let open = () => {}
  let fail = (_: Error) => {}
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { opened, open, fail }
}

/** Two merchants, whose accounts open when the test lets them. */
class GatedStore extends MemoryStore {
  readonly merchants = ['slow', 'other'].map(id => drawMerchant(id, {}, '1'))
  readonly gates = new Map(
    ['slow.test', 'slow.live', 'other.test', 'other.live'].map(id => [id, gate()] as const),
  )
  readonly #bound = gate()
  /** Opens when the list of merchants may be read. */
  readonly list = gate()
  port = 0

  get bound(): Promise<void> {
    return this.#bound.opened
  }

  override async openRegistry(): Promise<Registry> {
    const { merchants } = this
    await this.list.opened
    const onPort = (change: Change | undefined) => {
      if (!change || !('lastPort' in change)) return
      this.port = change.lastPort
      this.#bound.open()
    }
    const changes: ChangeLog = {
      async read(onChange) {
        for (const merchant of merchants) onChange({ merchant })
      },
      async append([change]) {
        onPort(change)
        return true
      },
      async close() {},
    }
    return Registry.open(changes)
  }

  override async openAccount(account: Account) {
    await this.gates.get(account.id)?.opened
    return super.openAccount(account)
  }
}

/** A server on any port, which listens once the list of merchants was read. */
async function starting() {
  const store = new GatedStore()
  store.list.open()
  const warnings: string[] = []
  const started = Simulator.start(
    { port: 0, dataDir: null, warn: message => warnings.push(message) },
    async () => store,
  )
  await store.bound
  const url = `http://127.0.0.1:${store.port}`
  const get = (path: string, merchant?: string) => {
    const keys = store.merchants.find(({ id }) => id === merchant)?.accounts.test.keys[0]
    const authorization = `Basic ${btoa(`${keys?.publicKey}:${keys?.secretKey}`)}`
    return fetch(url + path, keys ? { headers: { authorization } } : {})
  }
  const letIn = (...ids: string[]) => {
    for (const id of ids) store.gates.get(id)?.open()
  }
  onTestFinished(async () => {
    letIn(...store.gates.keys())
    await (await started).stop()
  })
  return { store, started, get, letIn, warnings }
}

test('health answers while accounts load, and a call waits only for its own account', async () => {
  const { get, letIn, started } = await starting()
  expect((await get('/_paysim/health')).status).toBe(200)
  expect((await get('/_paysim/ready')).status).toBe(503)
  expect((await get('/payout_intents', 'nobody')).status).toBe(401)
  // Its turn in the background comes after `slow`.
  letIn('other.test')
  expect((await get('/payout_intents', 'other')).status).toBe(200)

  const waiting = get('/payout_intents', 'slow')
  expect((await get('/_paysim/ready')).status).toBe(503)
  letIn('slow.test')
  expect((await waiting).status).toBe(200)

  letIn('slow.live', 'other.live')
  await started
  const ready = await get('/_paysim/ready')
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
})

test('a call waiting for an account that fails to open gets 503, and the others are served', async () => {
  const { store, get, letIn, started, warnings } = await starting()
  const waiting = get('/payout_intents', 'slow')
  store.gates.get('slow.test')?.fail(new Error('the journal is damaged'))
  const answer = await waiting
  expect(answer.status).toBe(503)
  expect(await answer.text()).toContain('slow.test')
  letIn('slow.live', 'other.test', 'other.live')
  await started
  expect(await (await get('/_paysim/ready')).json()).toEqual({ status: 'ready', stopped: ['slow.test'] })
  expect(warnings).toEqual(['account slow.test is stopped: the journal is damaged'])
  expect((await get('/payout_intents', 'other')).status).toBe(200)
})

/** A server on a given port, whose list of merchants is not read yet. */
async function reading() {
  const store = new GatedStore()
  const port = await unusedPort()
  const started = Simulator.start({ port, dataDir: null }, async () => store)
  // Another process may take the port first. The test then fails with the message of that.
  await Promise.race([started, listening(port)])
  for (const gate of store.gates.values()) gate.open()
  return { port, store, started, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) }
}

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Resolves when something listens on the port. */
async function listening(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const connected = await new Promise<boolean>(resolve => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  if (!connected) await listening(port)
}

test('health answers while the list of merchants is read, and all other calls wait for it', async () => {
  const { store, started, get } = await reading()
  const order: string[] = []
  const waiting = ['/payout_intents', '/_paysim/merchants'].map(async path => {
    const { status } = await get(path)
    order.push(path)
    return status
  })
  expect((await get('/_paysim/health')).status).toBe(200)
  expect((await get('/_paysim/ready')).status).toBe(503)
  expect(order).toEqual([])
  store.list.open()
  expect(await Promise.all(waiting)).toEqual([401, 401])
  await (await started).stop()
})

test('a list of merchants that cannot be read ends the start, and a call that waits for it gets 503', async () => {
  const { port, store, started } = await reading()
  const ended = expect(started).rejects.toThrow('the list is damaged')
  const socket = connect(port, '127.0.0.1')
  const lines = ['/_paysim/health', '/payout_intents'].map(
    path => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  )
  socket.write(lines.join(''))
  const [health] = await once(socket, 'data')
  expect(String(health)).toMatch(/^HTTP\/1.1 200 /)
  // They came in one piece, so the server has the second call, too.
  store.list.fail(new StartError('the list is damaged'))
  const [refused] = await once(socket, 'data')
  expect(String(refused)).toMatch(/^HTTP\/1.1 503 /)
  await ended
})
