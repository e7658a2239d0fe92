import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { postgresPrograms } from '../support/postgres/find-programs.js'
import { PAYMENTS, postJson, servePaysim, transferPayment } from './paysim.js'
import { copiesOf } from './store.js'

const KEEPER = fileURLToPath(new URL('../support/postgres/keeper.js', import.meta.url))
const USER = 'paysim'
const PASSWORD = 'only-for-this-run'
/** As a server of ordinary size has them; nobody may lose what was answered, so it syncs. */
const SETTINGS = {
  shared_buffers: '128MB',
  max_wal_size: '4GB',
  max_connections: '100',
  logging_collector: 'off',
}

/** A PostgreSQL server for a measurement. It ends with this process, or with `end`. */
export async function startDatabase() {
  const programs = postgresPrograms()
  const keeper = fork(KEEPER, [JSON.stringify({ programs, password: PASSWORD, settings: SETTINGS })], {
    detached: true,
  })
  const [{ port, directory, problem }] = await once(keeper, 'message')
  if (problem) throw new Error(problem)
  const psql = (name, ...args) => [
    join(programs, 'psql'),
    ['-h', directory, '-p', String(port), '-U', USER, '-d', name, '-XAtq', ...args],
  ]
  const query = async (name, sql) => {
    const { stdout } = await promisify(execFile)(...psql(name, '-c', sql))
    return stdout.trimEnd()
  }
  let made = 0
  return {
    /** An empty database. */
    async create() {
      const name = `bench_${++made}`
      await query('postgres', `CREATE DATABASE ${name}`)
      return {
        url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`,
        query: sql => query(name, sql),
        /** Sends lines to a statement that reads them. */
        async copy(sql, lines) {
          const [program, args] = psql(name, '-c', sql)
          const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'] })
          const ended = once(child, 'exit')
          for (const line of lines) if (!child.stdin.write(line)) await once(child.stdin, 'drain')
          await finished(child.stdin.end())
          const [code] = await ended
          if (code !== 0) throw new Error(`psql exited with ${code}`)
        },
      }
    },
    async end() {
      const ended = once(keeper, 'exit')
      keeper.send({ id: 1, call: 'end' })
      await ended
    },
  }
}

/** Many payments in the default test account, as if they had been created in this database one after the other. */
export async function fill(binary, database, count) {
  const server = await servePaysim(binary, ['--store', database.url])
  await postJson(server.url + PAYMENTS, server.authorization, transferPayment('sample'))
  await server.stop()
  const lines = (
    await database.query(`SELECT line FROM paysim.entries WHERE account = 'default.test'`)
  ).split('\n')
  await database.query(`DELETE FROM paysim.entries WHERE account = 'default.test'`)
  function* rows() {
    let seq = 0
    for (const line of copiesOf(lines, 'payments', count))
      yield `default.test\t1\t${++seq}\t${line.replaceAll('\\', '\\\\')}`
  }
  await database.copy('COPY paysim.entries (account, edition, seq, line) FROM STDIN', rows())
  await database.query(
    `UPDATE paysim.accounts SET last = ${count}, checkpoint = NULL WHERE id = 'default.test'`,
  )
  // Whoever holds it reads them all, and writes the checkpoint that the next holder begins with.
  const holder = await servePaysim(binary, ['--store', database.url])
  await answered(`${holder.url}/payout_intents`, holder.authorization)
  await holder.stop()
}

/** Gets an answer, however long it takes, and returns how long it took, in milliseconds. */
export async function answered(url, authorization) {
  const startedAt = performance.now()
  const [response] = await once(get(url, { headers: { authorization } }), 'response')
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`)
  await once(response.resume(), 'end')
  return performance.now() - startedAt
}
