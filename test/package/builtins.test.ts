import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const DIST = new URL('../../dist/', import.meta.url)
const ROUNDS = 12
/** A start that loads `node:crypto` takes 1.08 times the work and more. Below this, its substitute is not worth its lines. */
const PAYS_FROM = 1.03

/** The time on the processor, in ms: other processes make a start longer, but it takes no more work. */
function workOf(script: string): number {
  const said = `${script}\nconst { user, system } = process.cpuUsage()\nconsole.log((user + system) / 1000)`
  const { status, stdout } = spawnSync(process.execPath, ['--eval', said])
  expect(status).toBe(0)
  return Number(stdout)
}

test('a start takes less work because build.js loads `node:crypto` only when it is used', () => {
  const files = readdirSync(DIST).filter(name => /^(call|client|commander)-.*\.cjs$/.test(name))
  const text = files.map(file => readFileSync(new URL(file, DIST), 'utf8')).join('')
  expect(text).toContain('createHash')
  expect(text).not.toMatch(/require\(.node:crypto.\)/)
  const best = { late: Number.POSITIVE_INFINITY, atOnce: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++) {
    best.late = Math.min(best.late, workOf(''))
    best.atOnce = Math.min(best.atOnce, workOf(`require('node:crypto')`))
  }
  const ratio = best.atOnce / best.late
  expect(
    ratio,
    `a start that loads it takes ${ratio.toFixed(2)} times the work: remove its substitute from build.js`,
  ).toBeGreaterThan(PAYS_FROM)
})
