import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { residentMegabytes, startBare, startServer, timeToReady } from './child.js'
import { postJson, servePaysim, transferPayment } from './paysim.js'
import { compare, inTurn, median } from './rounds.js'
import { emptyFolder } from './store.js'
import { shown } from './table.js'

/** Creates for one sample. */
const AT_A_TIME = 20
/** Clients that fill the server. */
const CLIENTS = 16
const WARM_UP = 500
const MOST_KILOBYTES = 40
/** The same after a start, of one that nobody has called. */
const MOST_UNUSED_KILOBYTES = 10
/** Among fewer, what any start needs for a moment weighs more than they do. */
const ENOUGH_TO_WEIGH = 5000
const STARTS = 5
/** Between two tries to reach a server that starts. */
const LOOK_AGAIN_MS = 5
const BARE_START = fileURLToPath(new URL('bare-start.cjs', import.meta.url))

/** POST a merchant, beside one line that is appended and synced, when there are few and when there are many. */
export async function measureMerchants({ binary, rounds, merchants }, onEnd) {
  const folder = await emptyFolder()
  onEnd(folder.remove)
  const server = await servePaysim(binary, ['--data', folder.path])
  onEnd(server.stop)
  const bareFolder = await emptyFolder()
  onEnd(bareFolder.remove)
  const bare = await startBare('commit', { length: 700, file: `${bareFolder.path}/lines` })
  onEnd(bare.stop)

  const create = () => postJson(`${server.root}/merchants`, server.controlAuthorization, {})
  const append = () => postJson(bare.url, 'nobody', transferPayment('a line'))
  const contest = () => inTurn({ ours: () => timesOf(create), other: () => timesOf(append) }, rounds * 2)

  await timesOf(create)
  await timesOf(append)
  const few = await contest()
  // The first ones also pay for the room that a busy server takes.
  await fill(create, WARM_UP)
  const before = residentMegabytes(server.pid)
  await fill(create, merchants)
  const kilobytes = ((residentMegabytes(server.pid) - before) * 1000) / merchants
  const many = await contest()
  const flat =
    median(many.ours.map(({ measured }) => measured)) / median(few.ours.map(({ measured }) => measured))
  return [
    compare('POST a merchant, compared with one append and sync', { ...few, unit: 'ms', atMost: 4 }),
    compare(`  the same among ${shown(merchants)}`, { ...many, unit: 'ms', atMost: 4 }),
    { name: '  to the first ones', unit: 'times', ours: flat },
    ...(before === null ? [] : [memoryRow('  memory of each', kilobytes, MOST_KILOBYTES)]),
    ...(await startsAmong(merchants, binary, { full: folder.path, server }, onEnd)),
  ]
}

const memoryRow = (name, kilobytes, most) => ({
  ...{ name, unit: 'KB', ours: kilobytes },
  ...{ other: most, ratio: kilobytes / most, atMost: 1 },
})

/** A start among many merchants that nobody calls, beside that of a bare script. */
async function startsAmong(merchants, binary, { full, server }, onEnd) {
  await server.stop()
  const empty = await emptyFolder()
  onEnd(empty.remove)
  const health = `${server.root}/health`
  const start = data => startUntilReady(binary, data, health)
  const { many, few, bare } = await inTurn(
    { many: () => start(full), few: () => start(empty.path), bare: () => timeToReady(BARE_START) },
    STARTS,
  )
  const place = `a start with ${shown(merchants)} merchants`
  const of = (samples, field) => samples.map(sample => sample[field])
  const each = ((median(of(many, 'megabytes')) - median(of(few, 'megabytes'))) * 1000) / merchants
  const rows = [
    compare(`${place}, to health`, { ours: of(many, 'health'), other: bare, unit: 'ms', atMost: 12 }),
    compare('  to ready', { ours: of(many, 'ready'), other: bare, unit: 'ms', atMost: 60 }),
  ]
  return many[0].megabytes === null || merchants < ENOUGH_TO_WEIGH
    ? rows
    : [...rows, memoryRow('  memory of each that nobody calls', each, MOST_UNUSED_KILOBYTES)]
}

async function startUntilReady(binary, data, health) {
  const startedAt = performance.now()
  const port = new URL(health).port
  const starting = startServer(binary, ['serve', '--json', '--port', port, '--data', data])
  while (!(await answers(health))) await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
  const untilHealth = performance.now() - startedAt
  const { milliseconds, busy, pid, stop } = await starting
  const megabytes = residentMegabytes(pid)
  await stop()
  return {
    health: { measured: untilHealth, busy: Number.NaN },
    ready: { measured: milliseconds, busy },
    megabytes,
  }
}

const answers = url =>
  new Promise(resolve => {
    get(url, response => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    }).on('error', () => resolve(false))
  })

/** How long one takes, one after the other, in the middle of some. */
async function timesOf(act) {
  const times = []
  for (let nth = 0; nth < AT_A_TIME; nth++) {
    const startedAt = performance.now()
    await act()
    times.push(performance.now() - startedAt)
  }
  return { measured: median(times), busy: Number.NaN }
}

async function fill(create, count) {
  let made = 0
  const client = async () => {
    while (made++ < count) await create()
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}
