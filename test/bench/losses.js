import { timeToExit, timeToReady } from './child.js'
import { compareLoads, contest } from './load.js'
import { merchantAt } from './merchant.js'
import { buildCommit, parentCommit } from './parent.js'
import { PAYMENTS, postJson, READY, servePaysim, transferPayment } from './paysim.js'
import { creates, gets } from './requests.js'
import { compare, inTurn } from './rounds.js'
import { makeStore } from './store.js'

const RECORDS = 1000
/** A figure counts as a loss if it is worse by more than a quarter in each measurement. */
const LOSS = 0.25
const TIMES = 3

/** Compares the main figures of this tree with those of another commit. A loss is measured again. */
export async function measureLosses(settings, onEnd) {
  const commit = settings.against ?? parentCommit()
  if (commit === undefined) {
    console.error(
      'not compared with the parent commit, which is not in this clone: fetch more of its history',
    )
    return []
  }
  const before = buildCommit(commit, onEnd)
  const builds = { ours: settings.binary, other: before }
  const lines = [
    ...(await measureLoads(builds, settings, onEnd)),
    ...(await measureStarts(builds, settings, onEnd)),
  ]
  const rows = []
  for (const measure of lines) rows.push(await untilItHolds(measure))
  return rows
}

/** Measures once if there is no loss, and again while there is one. */
async function untilItHolds(measure) {
  for (let time = 1; ; time++) {
    const row = await measure()
    if (!isLoss(row)) return row
    if (time === TIMES) return { ...row, lost: true }
  }
}

/** Whether a line is a loss by its rate or time, or by its processor time if that is known. */
const isLoss = ({ ratio, busyRatio, moreIsBetter }) =>
  (moreIsBetter ? ratio : 1 / ratio) < 1 - LOSS || busyRatio < 1 - LOSS

async function measureLoads(builds, settings, onEnd) {
  const servers = {}
  for (const [side, binary] of Object.entries(builds)) {
    const store = await makeStore(binary, 'payments', RECORDS)
    onEnd(store.remove)
    const server = await servePaysim(binary, ['--data', store.path])
    onEnd(server.stop)
    servers[side] = { server, store }
  }
  const line = (name, contender) => async () => {
    const { ours, other } = await contest(
      { ours: contender(servers.ours), other: contender(servers.other) },
      settings,
    )
    return { ...compareLoads(name, { ours, other }), moreIsBetter: true }
  }
  return [
    line('GET one', ({ server, store }) => gets(server, store)),
    line('create, durable', ({ server }) => creates(server, transferPayment)),
  ]
}

async function measureStarts(builds, { starts }, onEnd) {
  const server = await servePaysim(builds.ours, ['--ephemeral'])
  onEnd(server.stop)
  const { body } = await postJson(server.url + PAYMENTS, server.authorization, transferPayment('start'))
  const { where, leave } = await merchantAt(server.url, server.keys)
  onEnd(leave)
  const line = (name, measure) => async () => {
    const { ours, other } = await inTurn(
      { ours: () => measure(builds.ours), other: () => measure(builds.other) },
      starts,
    )
    const row = compare(name, { ours, other, unit: 'ms' })
    return { ...row, busyRatio: 1 / row.busyRatio, moreIsBetter: false }
  }
  return [
    line('serve --ephemeral, to ready', binary => timeToReady(binary, READY)),
    line('payments get', binary => timeToExit([binary, 'payments', 'get', body.id], where)),
  ]
}
