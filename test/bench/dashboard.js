import { busyMilliseconds } from './child.js'
import { startProbe } from './fair-time.js'
import { recordName } from './names.js'
import { getJson, postJson, servePaysim } from './paysim.js'
import { makeLivedStore } from './store.js'
import { shown } from './table.js'

const MOST_BUSY_MS = 20
const MOST_WAIT_MS = 50
const MOST_KILOBYTES = 200
/** A page is read this often; the first time is shown apart, because what it reads may not be in memory. */
const READS = 10

/** What each page of the dashboard asks the server for, at each live refresh. */
const pagesOf = ({ count }) => {
  const some = recordName('pi', count - 1)
  return {
    overview: ['/overview'],
    'clock page': ['/clock', '/timers?limit=200'],
    'list of payments': ['/browse/payments?limit=50'],
    'list of payments, failed ones': ['/browse/payments?limit=50&status=failed'],
    'list of webhook deliveries': ['/browse/webhook-deliveries?limit=50'],
    'list of webhook deliveries, failed ones': ['/browse/webhook-deliveries?limit=50&status=failed'],
    'search for a reference': [`/browse/payments?limit=50&q=order-${count - 7}`],
    'search for a part that all have': ['/browse/payments?limit=50&q=somchai'],
    'search for the start of an id': [`/browse/payments?limit=50&q=${some.slice(0, 10)}`],
    "a payment's page": [`/payments/${some}`, `/timeline/${some}`],
    'page 1 of payments, control surface': ['/payments?limit=50'],
  }
}

/** Measures what the pages of an account with many payments cost the server, and how long other calls wait meanwhile. */
export async function measureDashboard({ binary, viewed }, onEnd) {
  const store = await makeLivedStore(binary, viewed)
  onEnd(store.remove)
  const pages = Object.entries(pagesOf(store))
  const costs = await costsOf(binary, store, pages)
  const waits = await waitsDuring(binary, store, pages, onEnd)
  return pages.flatMap(([name], nth) => {
    const { first, busy, bytes } = costs[nth]
    return [
      bounded(`${name}, of ${shown(viewed)} payments: processor time`, 'ms', busy, MOST_BUSY_MS),
      { name: '  the first time after a start', unit: 'ms', ours: first },
      bounded('  longest wait of another account', 'ms', waits[nth], MOST_WAIT_MS),
      bounded('  its answers', 'KB', bytes / 1000, MOST_KILOBYTES),
    ]
  })
}

const bounded = (name, unit, ours, other) => ({ name, unit, ours, other, ratio: ours / other, atMost: 1 })

async function costsOf(binary, { path }, pages) {
  const server = await servePaysim(binary, ['--data', path])
  const busyDuring = async work => {
    const before = busyMilliseconds(server.pid)
    await work()
    return busyMilliseconds(server.pid) - before
  }
  const costs = []
  for (const [, addresses] of pages) {
    let bytes = 0
    const first = await busyDuring(async () => {
      bytes = await read(server, addresses)
    })
    const again = await busyDuring(async () => {
      for (let nth = 0; nth < READS; nth++) await read(server, addresses)
    })
    costs.push({ first, busy: again / READS, bytes })
  }
  await server.stop()
  return costs
}

async function waitsDuring(binary, { path }, pages, onEnd) {
  const server = await servePaysim(binary, ['--data', path])
  onEnd(server.stop)
  const { body: other } = await postJson(`${server.root}/merchants`, server.controlAuthorization, {})
  const { public_key, secret_key } = other.accounts[0]
  const probe = await startProbe(server.url, public_key, secret_key)
  onEnd(probe.stop)
  const waits = []
  for (const [, addresses] of pages) {
    await probe.longest()
    for (let nth = 0; nth < READS; nth++) await read(server, addresses)
    waits.push(await probe.longest())
  }
  return waits
}

async function read(server, addresses) {
  let bytes = 0
  for (const address of addresses)
    bytes += Buffer.byteLength((await getJson(server.control + address, server.controlAuthorization)).text)
  return bytes
}
