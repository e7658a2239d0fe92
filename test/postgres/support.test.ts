import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { KEEPER, startPostgres, workerPostgres } from '../support/postgres/postgres.ts'
import { postgresPrograms, whyNoPostgres } from '../support/postgres/programs.ts'

/** What other tests rely on in the PostgreSQL server that they use. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`PostgreSQL is not tested here: ${reason}`)

/** A process that starts PostgreSQL and then does nothing. */
const OWNER = `
  const plan = ${JSON.stringify(JSON.stringify({ programs: postgresPrograms(), password: 'none', settings: {} }))}
  const keeper = require('node:child_process').fork(${JSON.stringify(KEEPER)}, [plan], { detached: true })
  keeper.once('message', ({ directory, problem }) => console.log(directory ?? problem))
`

describe.skipIf(reason !== undefined)('the PostgreSQL server of the tests', () => {
  test('creates isolated databases', async () => {
    const postgres = await workerPostgres()
    const [one, other] = [await postgres.newDatabase(), await postgres.newDatabase()]
    expect(one).toContain(`:${postgres.password}@127.0.0.1:${postgres.port}/`)
    const nameOf = (url: string) => new URL(url).pathname.slice(1)
    await postgres.query(nameOf(one), 'create table only_here (id int)')
    await expect(postgres.query(nameOf(other), 'select * from only_here')).rejects.toThrow('does not exist')
  })

  test.each(['fast', 'immediate'] as const)('keeps data over a %s restart', async mode => {
    const postgres = await startPostgres()
    await postgres.query('postgres', 'create table kept (id int); insert into kept values (7)')
    await postgres.restart(mode)
    expect(await postgres.query('postgres', 'select id from kept')).toBe('7')
    await postgres.end()
    expect(existsSync(postgres.directory)).toBe(false)
  })

  test('stops with the process that started it, even if that is killed', async () => {
    const owner = spawn(process.execPath, ['-e', OWNER], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(owner.stdout, 'data')
    const directory = String(line).trim()
    expect(processesIn(directory)).toContain('postgres')
    owner.kill('SIGKILL')
    await expect.poll(() => existsSync(directory)).toBe(false)
    expect(processesIn(directory)).toBe('')
  })
})

function processesIn(directory: string): string {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return all.filter(line => line.includes(directory)).join('\n')
}
