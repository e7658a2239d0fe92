import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The documents that take something from the program are as it is now. */
describe.concurrent('a document made by `npm run docs`', () => {
  test.for(['docs/decisions.md', 'docs/architecture.md', 'docs/cli.md'])('%s is up to date', name => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['docs/generate.js', '--check', name], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(stderr, `${stdout}\nbring it up to date with: npm run docs`).toBe('')
    expect(status).toBe(0)
  })
})
