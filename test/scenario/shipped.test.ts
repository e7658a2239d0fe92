import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadScenario, whatNeedsASimulator } from '../../src/scenario/index.ts'
import { isOnDatabase, workerServer } from '../support/gateway/worker-server.ts'
import { paysim } from '../support/scenario/workspace.ts'

// The built binary runs every scenario that ships, as users run them. Where the tests run on PostgreSQL, so do they.

const files = readdirSync(new URL('../../scenarios', import.meta.url), { recursive: true })
  .map(name => String(name).replaceAll('\\', '/'))
  .filter(name => name.endsWith('.yaml'))

interface Result {
  readonly file: string
  readonly ok: boolean
}

describe('scenarios that ship', () => {
  let run: Awaited<ReturnType<typeof paysim>>
  let results: Result[] = []

  beforeAll(async () => {
    run = await paysim(['run', 'scenarios', '--quiet', '--report', 'json=-', ...(await target())])
    if (run.stdout) results = JSON.parse(run.stdout).results
  }, 120_000)

  test('there are more than twenty', () => {
    expect(files.length).toBeGreaterThan(20)
  })

  test.each(files)('%s', file => {
    expect(results.find(result => result.file === `scenarios/${file}`)?.ok, run.stderr).toBe(true)
  })

  test('the portable ones need no simulator', async () => {
    const names = files.filter(file => file.startsWith('portable-'))
    const scenarios = await Promise.all(names.map(name => loadScenario(`scenarios/${name}`)))
    expect(scenarios).toHaveLength(4)
    expect(scenarios.flatMap(whatNeedsASimulator)).toEqual([])
  })

  test('all passed', () => {
    expect(run.code, run.stderr).toBe(0)
    expect(results).toHaveLength(files.length)
  })
})

async function target(): Promise<string[]> {
  if (!isOnDatabase) return []
  const { controlUrl, controlToken } = await workerServer()
  return ['--control-url', controlUrl, '--control-token', controlToken]
}
