import { startBare } from './child.js'
import { compareLoads, contest } from './load.js'
import { PAYMENTS, postJson, qrPayment, servePaysim, transferPayment } from './paysim.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

const REQUESTS_A_CONNECTION = 100

/** POST a payment into a store of a given size, which grows during the run. */
export async function measureCreate(settings, count, onEnd) {
  const serve = async durability => {
    const store = await makeStore(settings.binary, 'payments', count)
    onEnd(store.remove)
    const server = await servePaysim(settings.binary, ['--data', store.path, '--durability', durability])
    onEnd(server.stop)
    return server
  }
  const commit = await serve('commit')
  const process = await serve('process')
  const { text } = await postJson(commit.url + PAYMENTS, commit.authorization, transferPayment('sample'))
  const bare = await startBare('create', { length: text.length })
  onEnd(bare.stop)

  const creates = (server, paymentFor) => ({
    server,
    requestsOf: connection =>
      Array.from({ length: REQUESTS_A_CONNECTION }, (_, nth) => ({
        method: 'POST',
        path: PAYMENTS,
        headers: { authorization: server.authorization, 'content-type': 'application/json' },
        body: JSON.stringify(paymentFor(`order-${connection}-${nth}`)),
      })),
  })
  const rates = await contest(
    {
      commit: creates(commit, transferPayment),
      process: creates(process, transferPayment),
      qr: creates(commit, qrPayment),
      bare: creates({ ...bare, authorization: commit.authorization }, transferPayment),
    },
    settings,
  )
  const among = `among ${shown(count)}`
  return [
    compareLoads(`create, durable, ${among}`, { ours: rates.commit, other: rates.bare, atLeast: 0.45 }),
    compareLoads(`create, --durability process, ${among}`, { ours: rates.process, other: rates.bare }),
    compareLoads(`create with a QR code, durable, ${among}`, { ours: rates.qr, other: rates.bare }),
    compareLoads(`  the same, to a bank transfer's create`, {
      ours: rates.qr,
      other: rates.commit,
      atLeast: 0.67,
    }),
  ]
}
