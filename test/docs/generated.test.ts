import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test('the documents that take something from the program are as `npm run docs` makes them', () => {
  const names = ['docs/decisions.md', 'docs/architecture.md', 'docs/cli.md', 'docs/testing.md']
  const { status, stdout, stderr } = spawnSync(process.execPath, ['docs/generate.js', '--check', ...names], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(stderr, `${stdout}\nbring them up to date with: npm run docs`).toBe('')
  expect(status).toBe(0)
})
