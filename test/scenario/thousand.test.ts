import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/long-form.ts'

const RUNS = 1000
/** What a run may leave in memory, such as compiled code. Its account would be 80 kB. */
const MOST_LEFT_BY_RUN = 50 * 1024

const root = fileURLToPath(new URL('../..', import.meta.url))
/** One level below the root, as the built binary is: what ships is looked for from there. */
const folder = `${root}dist.thousand-${process.pid}/`

interface Run {
  readonly ok: boolean
  readonly digest: string
  readonly file: string
}
interface Outcome {
  readonly alone: Run[]
  readonly together: Run[]
  readonly heapBefore: number
  readonly heapAfter: number
  readonly merchants: string[]
  readonly left: number
}

const mb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

describe.skipIf(!isLong)(`${RUNS} mixed scenario runs in one process (in the long form)`, () => {
  let outcome: Outcome

  beforeAll(async () => {
    await build({
      input: fileURLToPath(new URL('../support/scenario/thousand-child.ts', import.meta.url)),
      platform: 'node',
      transform: { target: 'node20.19', define: { PAYSIM_VERSION: '"test"' } },
      output: { file: `${folder}child.mjs`, codeSplitting: false },
    })
    const args = ['--expose-gc', `${folder}child.mjs`, `${root}scenarios`, String(RUNS)]
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })
    outcome = JSON.parse(stdout)
    const { heapBefore, heapAfter } = outcome
    process.stdout.write(
      `${RUNS} runs one at a time, then 8 at a time: heap ${mb(heapBefore)} before, ${mb(heapAfter)} after\n`,
    )
  }, 600_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('all pass', () => {
    const all = [...outcome.alone, ...outcome.together]
    expect(all).toHaveLength(2 * RUNS)
    expect(all.filter(({ ok }) => !ok).map(({ file }) => file)).toEqual([])
  })

  test('give the same bytes 8 at a time as one at a time', () => {
    // What races for real is told in whatever order it came.
    const digests = (runs: Run[]) =>
      runs.filter(({ file }) => !file.includes('race-')).map(({ file, digest }) => `${file} ${digest}`)
    expect(digests(outcome.together)).toEqual(digests(outcome.alone))
    // Each is a run of its own: nothing is the same because nothing was told.
    expect(new Set(outcome.alone.map(({ digest }) => digest)).size).toBe(RUNS)
  })

  test('leave no account', () => {
    expect(outcome.merchants).toEqual(['default'])
    expect(outcome.left).toBe(0)
  })

  test('leave little memory in use', () => {
    expect((outcome.heapAfter - outcome.heapBefore) / (2 * RUNS)).toBeLessThan(MOST_LEFT_BY_RUN)
  })
})
