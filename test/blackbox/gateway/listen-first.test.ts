import { expect, onTestFinished, test } from 'vitest'
import type { Account } from '../../../src/engine/account/account.ts'
import type { Change, ChangeLog } from '../../../src/engine/store/change-log.ts'
import { drawMerchant } from '../../../src/engine/store/new-merchant.ts'
import { Registry } from '../../../src/engine/store/registry.ts'
import { MemoryStore } from '../../../src/engine/store/store.ts'
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
  port = 0

  get bound(): Promise<void> {
    return this.#bound.opened
  }

  override async openRegistry(): Promise<Registry> {
    const { merchants } = this
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

async function starting() {
  const store = new GatedStore()
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
