import autocannon from 'autocannon'
import { busyMilliseconds } from './child.js'
import { compare, inTurn } from './rounds.js'

const CONNECTIONS = 32

/**
 * Warms up each contender, then loads each in turn. A contender is a server and its requests. It measures the rate, and
 * also the processor time for each request, which other programs on the machine do not change.
 */
export async function contest(contenders, { rounds, seconds, warmUpSeconds }) {
  const load = (name, contender, time) =>
    throughput(contender, time).catch(cause => {
      throw new Error(`${name} failed`, { cause })
    })
  const all = Object.entries(contenders)
  for (const [name, contender] of all) await load(name, contender, warmUpSeconds)
  const measures = all.map(([name, contender]) => [name, () => load(name, contender, seconds)])
  return inTurn(Object.fromEntries(measures), rounds)
}

/** A line of the table. A higher rate and a shorter processor time are better, and both ratios are shown. */
export function compareLoads(name, sides) {
  const line = compare(name, { ...sides, unit: 'req/s' })
  return { ...line, busyRatio: 1 / line.busyRatio }
}

/**
 * Requests per second. Each connection sends different requests, so that no cache gets the same one from all. Where
 * several processes work for them, the server names all.
 */
export async function throughput({ server, requestsOf }, seconds, connections = CONNECTIONS) {
  const { url, pid, pids = [pid] } = server
  const busy = () => pids.reduce((sum, each) => sum + busyMilliseconds(each), 0)
  let made = 0
  const busyBefore = busy()
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: client => client.setRequests(requestsOf(made++, connections)),
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${url}: ${failed} of ${result.requests.total} requests failed`)
  const answered = result['2xx']
  return {
    measured: answered / result.duration,
    busy: (busy() - busyBefore) / answered,
  }
}
