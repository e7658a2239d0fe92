import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ConnectionFacts, DatabaseInspection, PostgresFacts } from '../../engine/postgres/inspection.ts'
import { StartError } from '../../engine/store/store-errors.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { placeOf } from '../store-address.ts'
import { type Check, ok, problem, warning } from './report.ts'

/** Checks everything that `paysim serve --store` depends on. `from` names where the address was given. */
export async function* checkStore(address: string, from: string, signal: AbortSignal): AsyncGenerator<Check> {
  try {
    const { dataDir, database } = placeOf(address, from)
    if (database !== undefined) yield* checkDatabase(database, from, signal)
    else if (dataDir !== null) yield await checkDirectory(dataDir, from)
    else yield ok('store', `memory, from ${from}: it ends with its process`)
  } catch (cause) {
    signal.throwIfAborted()
    yield problemOf('store', cause)
  }
}

function problemOf(check: string, cause: unknown): Check {
  const { what, advice, exitCode } = cause instanceof StartError ? cause : new StartError(messageOf(cause), 1)
  return problem(check, what, {
    advice: advice === undefined ? 'fix this, and run `paysim doctor` again' : advice,
    exitCode,
  })
}

async function checkDirectory(directory: string, from: string): Promise<Check> {
  for (let folder = directory; ; folder = dirname(folder))
    try {
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
      const what = folder === directory ? directory : `${directory}, which is made at the start`
      return ok('store', `${what}, from ${from}`)
    } catch (cause) {
      const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT' && folder !== dirname(folder)
      if (isMissing) continue
      return problem('store', `${folder} cannot be written by this user`, {
        advice: 'give it to this user, or name another directory',
        exitCode: EXIT.usage,
      })
    }
}

async function* checkDatabase(address: string, from: string, signal: AbortSignal): AsyncGenerator<Check> {
  // Loaded late: it brings a driver.
  const { DatabaseInspection } = await import('../../engine/postgres/inspection.ts')
  const inspection = DatabaseInspection.of(address)
  try {
    yield ok('store', `${inspection.url}, schema ${inspection.schema}, from ${from}`)
    yield* checkServer(inspection, signal)
  } finally {
    await inspection.close()
  }
}

/** Each check needs those before it. */
async function* checkServer(inspection: DatabaseInspection, signal: AbortSignal): AsyncGenerator<Check> {
  let isUsable = true
  for (const [name, examine] of STEPS) {
    signal.throwIfAborted()
    if (!isUsable) return
    let check: Check | undefined
    try {
      check = await examine(inspection)
    } catch (cause) {
      check = problemOf(name, cause)
    }
    if (check) yield check
    isUsable = check?.verdict !== 'fault'
  }
}

type Examine = (inspection: DatabaseInspection) => Promise<Check | undefined>

const STEPS: readonly (readonly [string, Examine])[] = [
  ['store.server', async inspection => serverCheck(await inspection.server(), inspection.url)],
  ['store.rights', checkRights],
  ['store.schema', checkSchema],
  ['store.latency', async inspection => latencyCheck(await inspection.roundTrips(ROUND_TRIPS))],
  ['store.pool', async inspection => poolCheck(await inspection.connections())],
  ['store.processes', checkProcesses],
]

/** The version that paysim is tested with. */
const TESTED_FROM = 150000

function serverCheck({ version, number, user, tls, readOnly, fsync }: PostgresFacts, url: string): Check {
  const what = `PostgreSQL ${version}, as ${user}, ${tls === null ? 'without TLS' : `with ${tls}`}`
  if (readOnly)
    return problem('store.server', `${what}: ${url} is read-only, like a standby server`, {
      advice: 'use the primary one',
      exitCode: EXIT.noAnswer,
    })
  if (!fsync)
    return warning(
      'store.server',
      `${what}: it has fsync off, so a power failure may damage everything`,
      'set fsync = on in postgresql.conf, unless the data may be lost',
    )
  if (number < TESTED_FROM)
    return warning('store.server', `${what}: paysim is tested with 15`, 'use PostgreSQL 15 or later')
  return ok('store.server', what)
}

async function checkRights(inspection: DatabaseInspection): Promise<Check> {
  const [first, ...others] = await inspection.missingRights()
  if (first === undefined) return ok('store.rights', 'may read and write everything in its schema')
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return problem('store.rights', `the user may not ${first}${more}`, {
    advice: `ask the owner to run: GRANT ${first} TO this user`,
    exitCode: EXIT.usage,
  })
}

async function checkSchema(inspection: DatabaseInspection): Promise<Check> {
  const { LATEST } = await import('../../engine/postgres/schema.ts')
  const { schema } = inspection
  const steps = await inspection.steps()
  if (!steps) return ok('store.schema', `${schema} is empty: \`paysim serve\` makes its tables`)
  const open = LATEST.length - steps.length
  if (open > 0)
    return warning(
      'store.schema',
      `${schema} was written by an older paysim: it ends with ${steps.at(-1)}, this one with ${LATEST.at(-1)}`,
      'stop the processes of the older version; the next start brings it up to date',
    )
  return ok('store.schema', `${schema} has the tables of this version (${steps.at(-1)})`)
}

const ROUND_TRIPS = 20
/** With slower round trips than this, a payment with its webhooks takes noticeably longer. */
const SLOW_MS = 20

function latencyCheck(taken: readonly number[]): Check {
  const median = taken[Math.floor(taken.length / 2)] ?? 0
  const what = `a round trip takes ${inMs(median)} in the middle of ${taken.length}, ${inMs(taken.at(-1) ?? 0)} at most`
  if (median <= SLOW_MS) return ok('store.latency', what)
  return warning('store.latency', what, 'each change waits for one: run the processes near the database')
}

const inMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`

async function poolCheck({ most, used }: ConnectionFacts): Promise<Check> {
  const { CONNECTIONS_A_PROCESS: each } = await import('../../engine/postgres/database-store.ts')
  const room = Math.floor((most - used) / each)
  const what = `${used} of ${most} connections are in use, and a process takes up to ${each}`
  if (room > 0) return ok('store.pool', `${what}: room for ${room} more`)
  return warning(
    'store.pool',
    `${what}: no room for another one`,
    'raise max_connections, or the limit of the user or the database',
  )
}

async function checkProcesses(inspection: DatabaseInspection): Promise<Check | undefined> {
  if ((await inspection.steps()) === undefined) return undefined
  const serving = await inspection.processes()
  const places = serving.map(({ node, address }) => (address === null ? node : `${node} at ${address}`))
  return ok('store.processes', places.length === 0 ? 'none serves it now' : places.join(', '))
}
