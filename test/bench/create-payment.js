import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBare } from './child.js'
import { compareLoads, contest } from './load.js'
import { PAYMENTS, postJson, qrPayment, servePaysim, transferPayment } from './paysim.js'
import { creates } from './requests.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

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
  const { authorization } = commit
  const folder = await mkdtemp(join(tmpdir(), 'paysim-bench-'))
  onEnd(() => rm(folder, { recursive: true, force: true }))
  const bare = await startBare('commit', { length: text.length, file: join(folder, 'journal.jsonl') })
  onEnd(bare.stop)
  const bareMap = await startBare('create', { length: text.length })
  onEnd(bareMap.stop)

  const rates = await contest(
    {
      commit: creates(commit, transferPayment),
      process: creates(process, transferPayment),
      qr: creates(commit, qrPayment),
      bare: creates(bare, transferPayment, authorization),
      bareMap: creates(bareMap, transferPayment, authorization),
    },
    settings,
  )
  const among = `among ${shown(count)}`
  return [
    compareLoads(`create, durable, ${among}`, { ours: rates.commit, other: rates.bare, atLeast: 0.65 }),
    compareLoads('  the same, compared with a Map in memory', { ours: rates.commit, other: rates.bareMap }),
    compareLoads(`create, --durability process, ${among}`, { ours: rates.process, other: rates.bareMap }),
    compareLoads(`create with a QR code, durable, ${among}`, { ours: rates.qr, other: rates.bare }),
    compareLoads(`  the same, compared with a bank transfer's create`, {
      ours: rates.qr,
      other: rates.commit,
      atLeast: 0.85,
    }),
  ]
}
