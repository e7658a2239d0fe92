import type { Chance } from '../fuzz/chance.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { Member, TortureCluster } from './torture-cluster.ts'

/** What a disturbance of a loaded cluster needs. At its end, everything is as before, but some processes are new. */
export interface Scene {
  readonly cluster: TortureCluster
  readonly postgres: Postgres
  /** The name of the database, and the user that the processes have. */
  readonly database: string
  readonly user: string
  readonly chance: Chance
  /** The longest pause of a process. */
  readonly longestMs: number
  readonly disk?: { readonly fill: () => void; readonly empty: () => void } | undefined
}

export type Disturbance =
  | 'kill'
  | 'stop'
  | 'pause'
  | 'cut'
  | 'silence'
  | 'half-close'
  | 'fast restart'
  | 'immediate restart'
  | 'no connections'
  | 'full disk'

const lasting = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** A process that holds an account, if there is one; otherwise any process. */
async function someone({ cluster, postgres, database, chance }: Scene): Promise<Member> {
  const fallback = chance.of(cluster.members)
  if (chance.is(0.3)) return fallback
  const addresses = await postgres
    .query(database, 'SELECT p.address FROM paysim.holdings h JOIN paysim.processes p ON p.id = h.holder')
    // The process may be stopping at this moment.
    .catch(() => '')
  const holders = cluster.members.filter(({ server }) => addresses.split('\n').includes(server.url))
  return holders.length === 0 ? fallback : chance.of(holders)
}

async function kill(scene: Scene): Promise<void> {
  const { cluster, chance } = scene
  const victim = await someone(scene)
  await Promise.all([
    cluster.kill(victim),
    ...(chance.is(0.25) ? [cluster.joinAndDie(chance.below(600))] : []),
  ])
  await cluster.join()
}

async function stop(scene: Scene): Promise<void> {
  const { cluster, chance } = scene
  // So the cluster has two processes for a while, or four.
  if (chance.is(0.5)) await cluster.join()
  const leaving = await someone(scene)
  const code = await cluster.stop(leaving)
  if (code !== 0) throw new Error(`a clean stop gave exit code ${code}:\n${leaving.server.stderr()}`)
  if (cluster.members.length < 3) await cluster.join()
}

/** Disturbs one process for a while. */
async function about(
  scene: Scene,
  begin: (member: Member) => void,
  end: (member: Member) => void,
  ms: number,
) {
  const member = await someone(scene)
  member.isDisturbed = true
  begin(member)
  await lasting(ms)
  // Another disturbance may have killed it.
  if (!member.server.hasEnded()) end(member)
  member.isDisturbed = false
}

/** Disturbs the database for a while. */
async function down({ cluster }: Scene, act: () => Promise<void>): Promise<void> {
  cluster.isDown = true
  try {
    await act()
  } finally {
    cluster.isDown = false
  }
}

export const DISTURBANCES: Readonly<Record<Disturbance, (scene: Scene) => Promise<void>>> = {
  kill,
  stop,
  pause: scene =>
    about(
      scene,
      ({ server }) => server.signal('SIGSTOP'),
      ({ server }) => server.signal('SIGCONT'),
      // Sometimes it comes back before its lease has run out.
      scene.chance.is(0.25) ? scene.chance.below(3000) : scene.longestMs,
    ),
  cut: async scene => {
    const member = await someone(scene)
    for (let left = 1 + scene.chance.below(5); left > 0; left--) {
      member.wire.cut()
      await lasting(scene.chance.below(300))
    }
  },
  silence: async scene => {
    const isDropped = scene.chance.is(0.5)
    await about(
      scene,
      ({ wire }) => wire.silence(),
      ({ wire }) => {
        // The data that was held back arrives late, or never.
        if (isDropped) wire.cut()
        wire.speak()
      },
      scene.chance.below(scene.chance.is(0.5) ? 1500 : scene.longestMs),
    )
  },
  'half-close': async scene => (await someone(scene)).wire.halfClose(),
  'fast restart': scene => down(scene, () => scene.postgres.restart('fast')),
  'immediate restart': scene => down(scene, () => scene.postgres.restart('immediate')),
  'no connections': scene =>
    down(scene, async () => {
      const { postgres, database, user, chance } = scene
      await postgres.query(database, `ALTER ROLE ${user} CONNECTION LIMIT 0`)
      await postgres.query(
        database,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`,
      )
      await lasting(chance.below(5000))
      await postgres.query(database, `ALTER ROLE ${user} CONNECTION LIMIT -1`)
    }),
  'full disk': scene =>
    down(scene, async () => {
      scene.disk?.fill()
      await lasting(500 + scene.chance.below(4000))
      scene.disk?.empty()
    }),
}
