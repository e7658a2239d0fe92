import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../..', import.meta.url)

test('docs/security.md names tests that exist', () => {
  const text = readFileSync(new URL('docs/security.md', ROOT), 'utf8')
  const missing: string[] = []
  let folder = ''
  for (const [, path = ''] of text.matchAll(/`([\w/-]+\.test\.ts)`/g)) {
    // A name without a folder is in the folder of the one before it.
    if (path.includes('/')) folder = path.slice(0, path.lastIndexOf('/') + 1)
    const whole = path.includes('/') ? path : folder + path
    if (!existsSync(new URL(whole, ROOT))) missing.push(whole)
  }
  expect(missing).toEqual([])
})
