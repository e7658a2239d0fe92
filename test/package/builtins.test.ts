import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const DIST = new URL('../../dist/', import.meta.url)
const ROUNDS = 9
/** To load `node:crypto` takes 13% of the work of a start and more. Below this, its substitute is not worth its lines. */
const PAYS_FROM = 0.03

const SCRIPT = `
const work = ({ user, system }) => user + system
const started = process.cpuUsage()
require('node:crypto')
console.log(work(process.cpuUsage(started)) / work(started))
`

/** With more certificates, and with `--eval`, Node loads it before the first line of a script. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/**
 * To load `node:crypto`, as a share of the work of the start before it. Both are time on the processor of one process,
 * so that a busy machine changes both.
 */
function shareOfLoading(file: string): number {
  const { status, stdout } = spawnSync(process.execPath, [file], { env })
  expect(status).toBe(0)
  return Number(stdout)
}

test('a start takes less work because build.js loads `node:crypto` only when it is used', () => {
  const files = readdirSync(DIST).filter(name => /^(call|client|commander)-.*\.cjs$/.test(name))
  const text = files.map(file => readFileSync(new URL(file, DIST), 'utf8')).join('')
  expect(text).toContain('createHash')
  expect(text).not.toMatch(/require\(.node:crypto.\)/)
  const folder = mkdtempSync(join(tmpdir(), 'paysim-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'start.cjs')
  writeFileSync(file, SCRIPT)
  const shares = Array.from({ length: ROUNDS }, () => shareOfLoading(file)).sort((a, b) => a - b)
  const share = shares[ROUNDS >> 1] ?? 0
  expect(
    share,
    `to load it takes ${(100 * share).toFixed(1)}% of the work of a start: remove its substitute from build.js`,
  ).toBeGreaterThan(PAYS_FROM)
})
