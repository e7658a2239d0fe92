import { startBare } from './child.js'
import { compareLoads, contest } from './load.js'
import { getJson, PAYOUTS, servePaysim } from './paysim.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

const LIMIT = 20
const DEEP = 500

/** A page of payouts: the first, and the 500th or the last. */
export async function measureList(settings, count, onEnd) {
  const store = await makeStore(settings.binary, 'payouts', count)
  onEnd(store.remove)
  const paysim = await servePaysim(settings.binary, ['--data', store.path])
  onEnd(paysim.stop)
  const { authorization } = paysim
  const first = { path: `${PAYOUTS}?limit=${LIMIT}`, number: 1 }
  const { body } = await getJson(paysim.url + first.path, authorization)
  const deep = await walk(paysim, first)
  const bare = await startBare('slice', { count, limit: LIMIT, sample: body.data[0] })
  onEnd(bare.stop)

  const asks = (server, path) => ({ server, requestsOf: () => [{ path, headers: { authorization } }] })
  const rates = await contest(
    {
      first: asks(paysim, first.path),
      deep: asks(paysim, deep.path),
      bare: asks(bare, first.path),
    },
    settings,
  )
  const of = `of ${shown(count)} payouts`
  const page = deep.number === DEEP ? `page ${DEEP}` : `page ${deep.number}, the last,`
  return [
    compareLoads(`list page 1 ${of}`, { ours: rates.first, other: rates.bare, atLeast: 0.6 }),
    compareLoads(`list ${page} ${of}`, { ours: rates.deep, other: rates.bare, atLeast: 0.6 }),
    compareLoads('  the same, compared with page 1', { ours: rates.deep, other: rates.first, atLeast: 1 }),
  ]
}

/** Follows cursors to page 500, as a client does. */
async function walk({ url, authorization }, page) {
  if (page.number === DEEP) return page
  const { body } = await getJson(url + page.path, authorization)
  if (!body.has_more) return page
  const path = `${PAYOUTS}?limit=${LIMIT}&cursor=${encodeURIComponent(body.next_cursor)}`
  return walk({ url, authorization }, { path, number: page.number + 1 })
}
