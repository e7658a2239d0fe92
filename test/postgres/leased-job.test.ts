import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { postgresPrograms, whyNoPostgres } from '../support/postgres/programs.ts'

const app = (name: string) => fileURLToPath(new URL(`../explore/apps/${name}`, import.meta.url))

const STORY = `paysim: 1
name: One order
app:
  webhooks: /hooks/payments
steps:
  - call app: POST /orders/\${run}-1/pay
    json: { total: "49900" }
    expect: { status: 201 }
    as: one
  - payer approves: \${one.payment}
  - expect app: GET /orders/\${run}-1
    is: { status: paid, parcels: 1 }
    within: 2s
`

test.skipIf(whyNoPostgres() !== undefined)(
  'a job that a crash left leased is told as such, and a short lease is no finding; each run has its own database',
  { timeout: 240_000 },
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.end())
    const folder = await mkdtemp(join(tmpdir(), 'paysim-explore-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const story = join(folder, 'one.yaml')
    await writeFile(story, STORY)
    const explore = async (leaseS: number) => {
      const env = {
        ...cleanEnvironment(tmpdir()),
        ...{ PGHOST: server.directory, PGPORT: String(server.port), PGUSER: 'paysim' },
        ...{ PATH: `${postgresPrograms()}:${process.env.PATH}` },
        // A job under way for so long is under way at the kill.
        ...{ LEASE_S: String(leaseS), WORK_MS: '400' },
      }
      const command = ['sh', app('own-database.sh'), 'node', app('postgres-shop.mjs')]
      const flags = ['--only', 'restart', '--runs', '3', '--save', folder, '-o', 'json']
      return runCommand(['explore', story, ...flags, '--', ...command], { cwd: folder, env })
    }
    const long = await explore(900)
    expect(long.code, long.stderr).toBe(10)
    const [{ findings }] = JSON.parse(long.stdout).explorations
    expect(findings).toMatchObject([{ kinds: ['restart'] }])
    expect(findings[0].advice[0]).toContain('may still be leased to the process that is gone')
    // The lease ends after the time that the file allows, which counts from when all is silent.
    const short = await explore(3)
    expect(short.code, short.stdout + short.stderr).toBe(0)
    expect(await server.query('postgres', 'SELECT datname FROM pg_database ORDER BY 1')).toBe(
      'postgres\ntemplate0\ntemplate1',
    )
  },
)
