import { chownSync, statSync } from 'node:fs'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openSmallDisk, whyNoSmallDisk } from '../support/disk/small-disk.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'
import { ClusterLoad } from '../support/torture/cluster-load.ts'
import { DISTURBANCES, type Disturbance, type Scene } from '../support/torture/disturbances.ts'
import { buildWithSmallHistory } from '../support/torture/small-history.ts'
import { FIRST, isRepeat, repeatWith, SECONDS, SEED, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'
import { TortureCluster } from '../support/torture/torture-cluster.ts'

/**
 * Processes of a cluster, and their database, are killed, paused, cut off, started and stopped under load. Every change
 * that was answered must exist once, and a repeated request must get the same answer. No answer may show an old state,
 * and each success must have its webhook.
 */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`The torture of a cluster on PostgreSQL is left out here: ${reason}`)
const noDisk = reason ?? whyNoSmallDisk()
if (reason === undefined && noDisk !== undefined)
  console.warn(`A database whose disk is full is not tested here: ${noDisk}`)

const isShort = SECONDS <= 15
const USER = 'cluster'
const PASSWORD = 'of-the-cluster'
/** The short form has the disturbances that differ most. The long form has all of them, in an order from the seed. */
const SHORT: readonly Disturbance[] = ['kill', 'pause', 'cut', 'immediate restart']
const ROUNDS = 20
/** The long form kills at least this many processes, even on a slow machine. */
const FEWEST_KILLS = Math.floor(SECONDS / 15)

let built: Awaited<ReturnType<typeof buildWithSmallHistory>>
beforeAll(async () => {
  if (reason === undefined) built = await buildWithSmallHistory()
})
afterAll(() => built?.remove())

/** Disturbs the cluster under load, and then checks that everything that was answered exists. */
async function runDisturbances(scene: Scene, tally: Tally, isEnough: () => boolean): Promise<void> {
  const { cluster, chance } = scene
  await Promise.all([cluster.join(), cluster.join(), cluster.join()])
  const load = await ClusterLoad.begin(cluster, new Chance(chance.below(2 ** 32)))
  try {
    for (const what of planned(chance)) {
      if (isEnough()) break
      await load.moved()
      // Some processes are killed while something else is wrong.
      const isKilledToo = !isShort && what !== 'kill' && what !== 'stop' && chance.is(0.3)
      const both = isKilledToo ? ([what, 'kill'] as const) : [what]
      await Promise.all(both.map(name => DISTURBANCES[name](scene)))
      for (const name of both) tally.add(name === 'kill' ? 'kills' : name)
    }
    await load.moved()
    await load.end()
  } finally {
    load.close()
  }
  tally.add('answered payments', load.answered)
  tally.add('calls refused', load.refused)
  tally.add('deliveries', load.deliveries)
}

/** Checks the database at the end: it is consistent, and has each entry number once. */
async function checkKept({ cluster, postgres, database }: Scene, store: string): Promise<void> {
  for (const member of [...cluster.members]) {
    const code = await cluster.stop(member)
    expect(code, member.server.stderr()).toBe(0)
  }
  expect(cluster.said).not.toMatch(/^ {4}at /m)
  const args = [built.binary, 'store', 'check', store, '-o', 'json']
  const checked = await execa(process.execPath, args, { reject: false })
  expect(checked.exitCode, checked.stdout + checked.stderr).toBe(0)
  const wrong = `SELECT a.id FROM paysim.accounts a
    LEFT JOIN paysim.entries e ON e.account = a.id AND e.edition = a.edition
    GROUP BY a.id HAVING count(e.seq) <> a.last OR count(DISTINCT e.seq) <> a.last OR coalesce(max(e.seq), 0) <> a.last`
  expect(await postgres.query(database, wrong)).toBe('')
}

/** The disturbances of a plan. Kills are the most frequent, because processes are killed most often in practice. */
function planned(chance: Chance): Disturbance[] {
  if (isShort) return [...SHORT]
  const all = (Object.keys(DISTURBANCES) as Disturbance[]).filter(
    name => name !== 'full disk' || noDisk === undefined,
  )
  return Array.from({ length: ROUNDS }, () => (chance.is(0.35) ? 'kill' : chance.of(all)))
}

test.skipIf(reason !== undefined)(
  'a cluster loses nothing when its processes and database fail repeatedly',
  { timeout: TIMEOUT_MS },
  async () => {
    const tally = new Tally('cluster')
    const disk = noDisk === undefined ? openSmallDisk('256m') : undefined
    const postgres = await startPostgres()
    onTestFinished(() => postgres.end())
    await postgres.query('postgres', `CREATE ROLE ${USER} LOGIN PASSWORD '${PASSWORD}'`)
    if (disk) {
      // The folder belongs to the user under which PostgreSQL runs.
      const { uid, gid } = statSync(postgres.directory)
      chownSync(disk.dataDir, uid, gid)
      await postgres.query('postgres', `CREATE TABLESPACE small LOCATION '${disk.dataDir}'`)
    }
    const isEnough = () => tally.elapsedMs >= SECONDS * 1000 && tally.count('kills') >= FEWEST_KILLS
    let plan = FIRST
    do {
      const database = `plan_${plan}`
      const on = disk ? 'TABLESPACE small' : ''
      await postgres.query('postgres', `CREATE DATABASE ${database} OWNER ${USER} ${on}`)
      const store = `postgres://${USER}:${PASSWORD}@127.0.0.1:${postgres.port}/${database}`
      const chance = new Chance(SEED * 2_654_435_761 + plan)
      const balancing = new Chance(chance.below(2 ** 32))
      const cluster = new TortureCluster({ binary: built.binary, store, chance: balancing })
      // This also runs if the test exceeds its time limit.
      onTestFinished(() => cluster.end())
      const isLong = chance.is(0.4)
      const longestMs = isShort ? 3500 : isLong && SECONDS >= 900 ? 30_000 : 5000
      const scene = { cluster, postgres, database, user: USER, chance, disk, longestMs }
      try {
        await runDisturbances(scene, tally, isRepeat || isShort ? () => false : isEnough)
        await checkKept(scene, store)
      } catch (cause) {
        const said = cluster.said.slice(-4000)
        throw new Error(`${repeatWith('cluster', plan)}\nthe processes said:\n${said}`, { cause })
      }
      await postgres.query('postgres', `DROP DATABASE ${database} WITH (FORCE)`)
      plan++
    } while (!isRepeat && !isShort && !isEnough())
    expect(tally.count('kills')).toBeGreaterThanOrEqual(1)
    tally.write()
  },
)
