import { startBare } from './child.js'
import { compareLoads, contest } from './load.js'
import { recordName } from './names.js'
import { getJson, PAYMENTS, servePaysim } from './paysim.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

const REQUESTS_A_CONNECTION = 1000
/** A prime, so that steps of it reach every record before one repeats. */
const STRIDE = 7919

/** GET a random payment of a large store. */
export async function measureGet(settings, count, onEnd) {
  const store = await makeStore(settings.binary, 'payments', count)
  onEnd(store.remove)
  const paysim = await servePaysim(settings.binary, ['--data', store.path])
  onEnd(paysim.stop)
  const { authorization } = paysim
  const path = nth => `${PAYMENTS}/${recordName(store.prefix, nth)}`
  const { text } = await getJson(paysim.url + path(1), authorization)
  const bare = await startBare('get', { authorization, prefix: store.prefix, count, length: text.length })
  onEnd(bare.stop)

  const requestsOf = (connection, connections) =>
    Array.from({ length: REQUESTS_A_CONNECTION }, (_, nth) => ({
      path: path(1 + (((nth * connections + connection) * STRIDE) % count)),
      headers: { authorization },
    }))
  const { ours, other } = await contest(
    { ours: { server: paysim, requestsOf }, other: { server: bare, requestsOf } },
    settings,
  )
  return [compareLoads(`GET one of ${shown(count)} payments`, { ours, other, atLeast: 0.75 })]
}
