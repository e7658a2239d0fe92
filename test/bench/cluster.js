import { setTimeout as wait } from 'node:timers/promises'
import { whyNoPostgres } from '../support/postgres/find-programs.js'
import { answered, fill, startDatabase } from './database.js'
import { compareLoads, contest, throughput } from './load.js'
import { getJson, postJson, servePaysim, transferPayment } from './paysim.js'
import { creates, gets } from './requests.js'
import { inTurn, median } from './rounds.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

const RECORDS = 1000
const ACCOUNTS = 100
const PROCESSES = [1, 2, 3]
const CALLERS = 30
/** A merchant that was just taken stays for ten seconds. */
const QUIET_SECONDS = 15
const TAKEOVERS = 3
/** All processes of a cluster need the same one. */
const TOKEN = 'a-token-for-the-benchmark'

/** PostgreSQL beside files, one process beside several, and how long a take-over takes. */
export async function measureCluster(settings, onEnd) {
  const why = whyNoPostgres()
  if (why !== undefined) {
    console.error(`not measured: a cluster on PostgreSQL, because ${why}`)
    return []
  }
  const server = await startDatabase()
  onEnd(server.end)
  return [
    ...(await measureStores(settings, await server.create(), onEnd)),
    ...(await measureProcesses(settings, await server.create(), onEnd)),
    ...(await measureTakeovers(settings, server)),
  ]
}

const join = (binary, { url }) => servePaysim(binary, ['--store', url, '--control-token', TOKEN])

async function measureStores(settings, database, onEnd) {
  const { binary } = settings
  const store = await makeStore(binary, 'payments', RECORDS)
  onEnd(store.remove)
  const files = await servePaysim(binary, ['--data', store.path])
  onEnd(files.stop)
  await fill(binary, database, RECORDS)
  const both = [await join(binary, database), await join(binary, database)]
  for (const { stop } of both) onEnd(stop)
  const contestOf = requests =>
    whileHeld(both, (holder, other) =>
      contest(
        {
          files: requests(files),
          held: requests(holder),
          // Both work for a call that is handed on.
          handedOn: requests({ ...other, pids: [other.pid, holder.pid] }),
        },
        settings,
      ),
    )
  const read = await contestOf(server => gets(server, store))
  const created = await contestOf(server => creates(server, transferPayment))
  return [
    compareLoads('GET one on PostgreSQL, to files', { ours: read.held, other: read.files, atLeast: 0.9 }),
    compareLoads('  handed on, to not', { ours: read.handedOn, other: read.held, atLeast: 0.4 }),
    compareLoads('create on PostgreSQL, to files', {
      ours: created.held,
      other: created.files,
      atLeast: 0.5,
    }),
    compareLoads('  handed on, to not', { ours: created.handedOn, other: created.held }),
  ]
}

/** Measures with the holder of the default merchant first, and again if the merchant moved to the other meanwhile. */
async function whileHeld(both, measure) {
  const [one] = both
  await answered(`${one.url}/payout_intents`, one.authorization)
  for (;;) {
    const holder = await holderOf(one)
    const measured = await measure(...(one.node === holder ? both : both.toReversed()))
    if ((await holderOf(one)) === holder) return measured
  }
}

async function holderOf({ root, controlAuthorization }) {
  const { body } = await getJson(`${root}/nodes?q=default`, controlAuthorization)
  return body.holdings.data[0].node
}

/**
 * Creates by one, two and three processes, on one account and on many. Each connection keeps to a process: to any of
 * them, which hands on what another one holds, or to the one that holds its account.
 */
async function measureProcesses(settings, database, onEnd) {
  const servers = []
  const rows = []
  let accounts = []
  const measure = async (name, callers) => rows.push(...(await createRows(name, callers, settings, database)))
  for (const count of PROCESSES) {
    const server = await join(settings.binary, database)
    onEnd(server.stop)
    servers.push(server)
    if (accounts.length === 0) accounts = await newAccounts(server)
    else await settled(server)
    for (const some of [accounts.slice(0, 1), accounts]) {
      const on = `${named(count, 'process', 'processes')} on ${named(some.length, 'account', 'accounts')}`
      await measure(`creates by ${on}`, callersOfAny(servers, some))
      if (count === 1) continue
      await measure('  the same, each caller at the holder', await callersOfHolders(servers, some))
    }
  }
  return rows
}

async function createRows(name, callers, { rounds, seconds, warmUpSeconds }, database) {
  const load = forSeconds => underLoad(callers, forSeconds, database)
  await load(warmUpSeconds)
  const { each } = await inTurn({ each: () => load(seconds) }, rounds)
  const of = field => median(each.map(sample => sample[field]))
  return [
    { name, unit: 'a second', ours: of('measured') },
    { name: '  processor time of each, of paysim', unit: 'µs', ours: of('busy') * 1000 },
    { name: '  transactions for each', unit: '', ours: of('transactions') },
  ]
}

/** Resolves when merchants no longer move to the process that joined. */
async function settled({ root, controlAuthorization }) {
  let [before, quiet] = [-1, 0]
  while (quiet < QUIET_SECONDS) {
    await wait(1000)
    const { body } = await getJson(`${root}/nodes`, controlAuthorization)
    const moves = body.nodes.reduce((sum, node) => sum + node.moves, 0)
    quiet = moves === before ? quiet + 1 : 0
    before = moves
  }
}

/** The accounts in turn: a process is asked for accounts that it does not hold, too. */
const callersOfAny = (servers, accounts) =>
  servers.map((server, nth) => ({
    server,
    connections: CALLERS / servers.length,
    accountOf: connection => accounts[(connection * servers.length + nth) % accounts.length],
  }))

async function callersOfHolders(servers, accounts) {
  const [{ root, controlAuthorization }] = servers
  const { body } = await getJson(`${root}/nodes?limit=200`, controlAuthorization)
  const holders = new Map(body.holdings.data.map(({ merchant, node }) => [merchant, node]))
  return servers.flatMap(server => {
    const held = accounts.filter(({ merchant }) => holders.get(merchant) === server.node)
    if (held.length === 0) return []
    const connections = Math.max(1, Math.round((CALLERS * held.length) / accounts.length))
    return { server, connections, accountOf: connection => held[connection % held.length] }
  })
}

const named = (count, one, many) => `${count} ${count === 1 ? one : many}`

async function newAccounts({ root, controlAuthorization }) {
  const made = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => postJson(`${root}/merchants`, controlAuthorization, {})),
  )
  return made.map(({ body: { id: merchant, accounts } }) => {
    const [{ public_key, secret_key }] = accounts
    const authorization = `Basic ${Buffer.from(`${public_key}:${secret_key}`).toString('base64')}`
    return { merchant, authorization }
  })
}

async function underLoad(callers, seconds, database) {
  const transactions = () =>
    database.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()').then(Number)
  const before = await transactions()
  const samples = await Promise.all(
    callers.map(({ server, connections, accountOf }) => {
      const requestsOf = connection =>
        creates(server, transferPayment, accountOf(connection).authorization).requestsOf(connection)
      return throughput({ server, requestsOf }, seconds, connections)
    }),
  )
  const measured = samples.reduce((sum, sample) => sum + sample.measured, 0)
  const busy = samples.reduce((sum, sample) => sum + sample.busy * sample.measured, 0) / measured
  return { measured, busy, transactions: ((await transactions()) - before) / (measured * seconds) }
}

/** A process that holds an account ends: how long its callers wait at most, before and after another takes over. */
async function measureTakeovers({ binary, takeovers }, server) {
  const rows = []
  for (const count of [takeovers.few, takeovers.many]) {
    const database = await server.create()
    await fill(binary, database, count)
    for (const [how, signal] of [
      ['SIGTERM', 'SIGTERM'],
      ['a kill', 'SIGKILL'],
    ]) {
      const times = []
      for (let nth = 0; nth < TAKEOVERS; nth++) times.push(await takeover(binary, database, signal))
      rows.push({
        name: `take-over of ${shown(count)} payments, after ${how}`,
        unit: 'ms',
        ours: median(times),
      })
    }
  }
  return rows
}

async function takeover(binary, database, signal) {
  const both = [await join(binary, database), await join(binary, database)]
  const [one] = both
  await answered(`${one.url}/payout_intents`, one.authorization)
  const holder = await holderOf(one)
  const [held, next] = one.node === holder ? both : both.toReversed()
  try {
    let isOver = false
    const stopped = held.stop(signal).then(() => {
      isOver = true
    })
    let longest = 0
    for (let isLast = false; !isLast; ) {
      isLast = isOver
      longest = Math.max(longest, await answered(`${next.url}/payout_intents`, next.authorization))
    }
    await stopped
    return longest
  } finally {
    await next.stop()
  }
}
