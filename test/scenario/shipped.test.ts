import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { paysim } from '../support/scenario/workspace.ts'

// Every scenario that ships is told by the built binary, as its readers would.

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
    run = await paysim(['run', 'scenarios', '--quiet', '--report', 'json=-'])
    if (run.stdout) results = JSON.parse(run.stdout).results
  }, 120_000)

  test('there are more than twenty', () => {
    expect(files.length).toBeGreaterThan(20)
  })

  test.each(files)('%s', file => {
    expect(results.find(result => result.file === `scenarios/${file}`)?.ok, run.stderr).toBe(true)
  })

  test('all passed', () => {
    expect(run.code, run.stderr).toBe(0)
    expect(results).toHaveLength(files.length)
  })
})
