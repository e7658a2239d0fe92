import { execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { postgresPrograms, whyNoPostgres } from './programs.ts'

/** The process that runs PostgreSQL. */
export const KEEPER = fileURLToPath(new URL('keeper.js', import.meta.url))
const USER = 'paysim'

/** Fast ends the connections first; immediate ends like a crash. */
type Stop = 'fast' | 'immediate'

export interface Postgres {
  readonly port: number
  /** Where its Unix socket is. */
  readonly directory: string
  readonly password: string
  /** Creates an empty database, and returns its address. */
  newDatabase(): Promise<string>
  /** What psql prints for a statement: lines of values with | between them. */
  query(database: string, sql: string): Promise<string>
  stop(mode: Stop): Promise<void>
  /** On the same port, with the same databases. */
  start(): Promise<void>
  restart(mode: Stop): Promise<void>
  /** Stops it and removes its files. This also happens when this process ends. */
  end(): Promise<void>
}

/** Only what tests need: fsync matters only when a machine loses power, which no test can do. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '200',
  logging_collector: 'off',
}

/** A PostgreSQL server for one test or worker. Ask `whyNoPostgres` first. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<Postgres> {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error(`there is no PostgreSQL: ${whyNoPostgres()}`)
  const password = randomBytes(12).toString('base64url')
  const plan = { programs, password, settings: { ...SETTINGS, ...settings } }
  // In its own process group, so that Ctrl-C ends the test first, and the test then ends it.
  const keeper = fork(KEEPER, [JSON.stringify(plan)], { execArgv: [], detached: true })
  const ended = once(keeper, 'exit')
  const answers = new Map<number, (answer: Answer) => void>()
  keeper.on('message', (answer: Answer) => answers.get(answer.id)?.(answer))
  const answerTo = (id: number) =>
    new Promise<Answer>((resolve, reject) => {
      answers.set(id, resolve)
      ended.then(() => reject(new Error('the keeper of PostgreSQL ended')))
    }).then(answer => {
      if (answer.problem !== undefined) throw new Error(answer.problem)
      return answer
    })
  let calls = 0
  const call = async (name: string, mode?: Stop): Promise<void> => {
    const answered = answerTo(++calls)
    keeper.send({ id: calls, call: name, mode })
    await answered
  }
  const { port = 0, directory = '' } = await answerTo(0)
  // It must not keep the worker running.
  keeper.unref()
  keeper.channel?.unref()
  const query = async (database: string, sql: string) => {
    const args = ['-h', directory, '-p', String(port), '-U', USER, '-d', database]
    const { stdout } = await promisify(execFile)(join(programs, 'psql'), [...args, '-XAtqc', sql])
    return stdout.trimEnd()
  }
  let databases = 0
  const stop = (mode: Stop) => call('stop', mode)
  const start = () => call('start')
  return {
    port,
    directory,
    password,
    query,
    newDatabase: async () => {
      const name = `test_${++databases}`
      await query('postgres', `create database ${name}`)
      return `postgres://${USER}:${password}@127.0.0.1:${port}/${name}`
    },
    stop,
    start,
    restart: async mode => {
      await stop(mode)
      await start()
    },
    end: async () => {
      await call('end')
      await ended
    },
  }
}

interface Answer {
  readonly id: number
  readonly problem?: string
  readonly port?: number
  readonly directory?: string
}

let ofWorker: Promise<Postgres> | undefined

/** The server of this worker. Its test files share it, and each creates its own database. */
export function workerPostgres(): Promise<Postgres> {
  ofWorker ??= startPostgres()
  return ofWorker
}
