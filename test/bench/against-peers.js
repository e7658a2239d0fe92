import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBare } from './child.js'
import { compareLoads, contest } from './load.js'
import { recordName } from './names.js'
import { getJson, PAYMENTS, servePaysim, transferPayment } from './paysim.js'
import { installPeers, peerNames, startPeer, titleOf } from './peers.js'
import { creates, gets } from './requests.js'
import { makeStore } from './store.js'

const RECORDS = 1000

/** Compares paysim with the minimum and with other programs in the same rounds: GET one payment, and create one. */
export async function measurePeers(settings, onEnd) {
  installPeers()
  const store = await makeStore(settings.binary, 'payments', RECORDS)
  onEnd(store.remove)
  const paysim = await servePaysim(settings.binary, ['--data', store.path])
  onEnd(paysim.stop)
  const { authorization } = paysim
  const { text } = await getJson(`${paysim.url}${PAYMENTS}/${recordName(store.prefix, 1)}`, authorization)
  const facts = { count: RECORDS, length: text.length }
  const folder = await mkdtemp(join(tmpdir(), 'paysim-bench-'))
  onEnd(() => rm(folder, { recursive: true, force: true }))

  const bareGet = await startBare('get', { ...facts, authorization, prefix: 'pi' })
  onEnd(bareGet.stop)
  const bareCommit = await startBare('commit', { ...facts, file: join(folder, 'journal.jsonl') })
  onEnd(bareCommit.stop)
  const peers = {}
  for (const name of peerNames) peers[titleOf(name)] = await startPeer(name, facts, onEnd)

  const records = { prefix: 'pi', count: RECORDS }
  const others = contender =>
    Object.fromEntries(Object.entries(peers).map(([title, server]) => [title, contender(server)]))
  const got = await contest(
    {
      paysim: gets(paysim, store),
      'bare node:http': gets(bareGet, records, authorization),
      ...others(server => gets(server, records, authorization)),
    },
    settings,
  )
  const created = await contest(
    {
      paysim: creates(paysim, transferPayment),
      'bare node:http with group commit': creates(bareCommit, transferPayment, authorization),
      ...others(server => creates(server, transferPayment, authorization)),
    },
    settings,
  )
  return [...linesOf('GET one', got), ...linesOf('create', created)]
}

function linesOf(work, { paysim, ...others }) {
  return Object.entries(others).map(([title, other]) =>
    compareLoads(`${work}, to ${title}`, { ours: paysim, other }),
  )
}
