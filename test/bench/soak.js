import { setInterval } from 'node:timers/promises'
import autocannon from 'autocannon'
import { residentMegabytes } from './child.js'
import { recordName } from './names.js'
import { PAYMENTS, PAYOUTS, qrPayment, servePaysim, transferPayment } from './paysim.js'
import { makeStore } from './store.js'

const RATE = 1000
const CONNECTIONS = 10
const MINUTE = 60
const RECORDS = 1000
const METHODS = '/payment_methods/options?country=TH&currency=THB&amount=10000'

/** Measures by how much memory grows under a steady load, for each payment that the load creates. */
export async function measureSoak({ binary, soakMinutes }, onEnd) {
  const store = await makeStore(binary, 'payments', RECORDS)
  onEnd(store.remove)
  const server = await servePaysim(binary, ['--data', store.path])
  onEnd(server.stop)

  const requests = mixedRequests(server, store)
  const creating = requests.filter(({ method }) => method === 'POST').length / requests.length
  const ended = new AbortController()
  const memory = sampleMemory(server.pid, ended.signal)
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: soakMinutes * MINUTE,
    overallRate: RATE,
    setupClient: client => client.setRequests(requests),
  })
  ended.abort()
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests failed`)

  const minutes = lowestOfEachMinute(await memory)
  const grown = (minutes.at(-1) - minutes[1]) * 1024 * 1024
  const created = creating * result['2xx'] * ((minutes.length - 2) / soakMinutes)
  const bytes = grown / created
  return [
    {
      name: `mixed load for ${soakMinutes} minutes`,
      unit: 'req/s',
      ours: result['2xx'] / result.duration,
      other: RATE,
      ratio: result['2xx'] / result.duration / RATE,
      atLeast: 0.99,
    },
    { name: '  memory in the second minute', unit: 'MB', ours: minutes[1] },
    { name: '  memory in the last minute', unit: 'MB', ours: minutes.at(-1) },
    {
      name: '  growth for each payment created meanwhile',
      unit: 'bytes',
      ours: bytes,
      other: 700,
      ratio: bytes / 700,
      atMost: 1,
    },
  ]
}

/** Of each ten, three create a payment. */
function mixedRequests({ authorization }, { prefix }) {
  const headers = { authorization, 'content-type': 'application/json' }
  const create = (paymentFor, nth) => ({
    method: 'POST',
    path: PAYMENTS,
    headers,
    body: JSON.stringify(paymentFor(`order-${nth}`)),
  })
  return Array.from({ length: RECORDS / 10 }, (_, nth) => [
    create(transferPayment, nth),
    ...[1, 2, 3].map(more => ({ path: `${PAYMENTS}/${recordName(prefix, 3 * nth + more)}`, headers })),
    create(qrPayment, nth),
    ...[1, 2].map(more => ({ path: `${PAYMENTS}/${recordName(prefix, RECORDS - 2 * nth - more)}`, headers })),
    { path: METHODS, headers },
    create(transferPayment, nth),
    { path: `${PAYOUTS}?limit=20`, headers },
  ]).flat()
}

/** The memory at each second, until the signal. */
async function sampleMemory(pid, signal) {
  const samples = []
  try {
    for await (const _ of setInterval(1000, undefined, { signal })) samples.push(residentMegabytes(pid))
  } catch (error) {
    if (error.name !== 'AbortError') throw error
  }
  return samples
}

/** The lowest of a minute is the least that the records need: garbage comes and goes. */
function lowestOfEachMinute(samples) {
  const minutes = []
  for (let at = 0; at + MINUTE / 2 <= samples.length; at += MINUTE)
    minutes.push(Math.min(...samples.slice(at, at + MINUTE)))
  return minutes
}
