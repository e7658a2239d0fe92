import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDirectory, type Server, startServer } from './server.ts'

type Contract = Readonly<Record<string, unknown>>

/**
 * Servers that all test files of a worker share. Each test creates its own merchants, and makes no assumptions about
 * the server as a whole; a test that does needs its own server.
 */
const running = new Map<string, Promise<Server>>()

/** The server of this worker with this contract, or with the contract as it ships. */
export async function workerServer(contract?: Contract): Promise<Server> {
  const key = JSON.stringify(contract ?? {})
  const started = running.get(key) ?? start(contract)
  running.set(key, started)
  const server = await started
  await seeClosedConnections()
  return server
}

/**
 * The server closes a connection that was idle for long. If this process is busy at that moment, as it is with the
 * imports of a file, it learns of it only in a later turn of its event loop, and until then sends requests on it, which
 * are reset.
 */
async function seeClosedConnections(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate)
}

async function start(contract: Contract | undefined): Promise<Server> {
  const server = contract ? await startWithContract(contract) : await startAsTested()
  process.once('exit', () => discard(server))
  return server
}

/** How many processes serve one database in these tests; none without PAYSIM_TEST_STORE. */
const NODES: Readonly<Record<string, number>> = { postgres: 1, cluster: 3 }
const { PAYSIM_TEST_STORE: kind } = process.env
if (kind !== undefined && !(kind in NODES))
  throw new Error(`PAYSIM_TEST_STORE is ${Object.keys(NODES).join(' or ')}, not ${kind}`)

/** Whether these tests are run on PostgreSQL, behind a balancer. */
export const isOnDatabase = kind !== undefined

/** Whether a test is left out because its calls go through a balancer. */
export function notBehindBalancer(why: string): boolean {
  if (isOnDatabase) console.warn(`left out behind a balancer: ${why}`)
  return isOnDatabase
}

/** A server on the store that these tests are run on. */
async function startAsTested(args: readonly string[] = []): Promise<Server> {
  const nodes = NODES[kind ?? '']
  if (nodes === undefined) return startServer({ args })
  const [{ startCluster }, { workerPostgres }] = await Promise.all([
    import('../cluster/cluster.ts'),
    import('../postgres/postgres.ts'),
  ])
  const store = await (await workerPostgres()).newDatabase()
  const { server } = await startCluster({ store, nodes, args })
  return server
}

/** The server reads its contract only at its start. */
export async function startWithContract(contract: Contract): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'paysim-contract-'))
  const file = join(directory, 'contract.json')
  await writeFile(file, JSON.stringify(contract))
  const server = await startAsTested(['--contract', file])
  await removeDirectory(directory)
  return server
}

function discard({ pids, dataDir }: Server): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // A test has ended it.
    }
  rmSync(dataDir, { recursive: true, force: true })
}

// A worker ends by a signal, or when the runner has ended, and Node emits "exit" in neither case.
process.once('SIGTERM', () => process.exit())
process.once('disconnect', () => process.exit())
