import { startBare } from './child.js'
import { compareLoads, contest } from './load.js'
import { recordName } from './names.js'
import { getJson, PAYMENTS, servePaysim } from './paysim.js'
import { gets } from './requests.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

/** With this header, a request is not plain, so Node's server reads and answers it. */
const NOT_PLAIN = { te: 'trailers' }

/** GET a random payment of a large store. */
export async function measureGet(settings, count, onEnd) {
  const store = await makeStore(settings.binary, 'payments', count)
  onEnd(store.remove)
  const paysim = await servePaysim(settings.binary, ['--data', store.path])
  onEnd(paysim.stop)
  const { authorization } = paysim
  const { text } = await getJson(`${paysim.url}${PAYMENTS}/${recordName(store.prefix, 1)}`, authorization)
  const bare = await startBare('get', { authorization, prefix: store.prefix, count, length: text.length })
  onEnd(bare.stop)
  const { ours, throughNode, other } = await contest(
    {
      ours: gets(paysim, store),
      throughNode: gets(paysim, store, authorization, NOT_PLAIN),
      other: gets(bare, store, authorization),
    },
    settings,
  )
  return [
    compareLoads(`GET one of ${shown(count)} payments`, { ours, other, atLeast: 0.85 }),
    compareLoads('  the same, compared with requests that Node reads', { ours, other: throughNode }),
  ]
}
