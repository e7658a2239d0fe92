import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const DIST = new URL('../../dist/', import.meta.url)
const ROUNDS = 12
/** A start with plain imports takes 1.08 to 1.15 times the work. Below this, the plugin is not worth its lines. */
const PAYS_FROM = 1.03

/** What each command of a merchant loads of Node. */
function builtinsOfEachCall(): string[] {
  const files = readdirSync(DIST).filter(name => /^(call|commander)-.*\.js$/.test(name))
  const text = files.map(file => readFileSync(new URL(file, DIST), 'utf8')).join('')
  return [...new Set([...text.matchAll(/getBuiltinModule\(.(node:[\w/]+).\)/g)].map(([, name = '']) => name))]
}

/** The time on the processor, in ms: other processes make a start longer, but it takes no more work. */
function workOf(script: string): number {
  const said = `${script}\nconst { user, system } = process.cpuUsage()\nconsole.log((user + system) / 1000)`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', said])
  expect(status).toBe(0)
  return Number(stdout)
}

test('a start takes less work thanks to the rewriting of `node:` imports in build.js', () => {
  const names = builtinsOfEachCall()
  expect(names).toContain('node:crypto')
  const rewritten = names.map(name => `process.getBuiltinModule('${name}')`).join('\n')
  const imported = names.map(name => `import '${name}'`).join('\n')
  const best = { rewritten: Number.POSITIVE_INFINITY, imported: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++) {
    best.rewritten = Math.min(best.rewritten, workOf(rewritten))
    best.imported = Math.min(best.imported, workOf(imported))
  }
  const ratio = best.imported / best.rewritten
  expect(
    ratio,
    `a start with plain imports takes ${ratio.toFixed(2)} times the work: remove the plugin \`builtins\` from build.js`,
  ).toBeGreaterThan(PAYS_FROM)
})
