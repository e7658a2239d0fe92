import { residentMegabytes, startBare } from './child.js'
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
    ...(before === null ? [] : [memoryRow(kilobytes)]),
  ]
}

const memoryRow = kilobytes => ({
  ...{ name: '  memory of each', unit: 'KB', ours: kilobytes },
  ...{ other: MOST_KILOBYTES, ratio: kilobytes / MOST_KILOBYTES, atMost: 1 },
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
