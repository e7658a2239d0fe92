import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

// `npm run check:domain` compiles it. That proves nothing if an import brings the types of Node or of a browser along.
test('no types of Node or of a browser are in scope where the domain is compiled', () => {
  const listed = execFileSync(process.execPath, [tsc, '-p', 'src/domain', '--listFilesOnly'], {
    encoding: 'utf8',
  })
  const files = listed.trim().split('\n')
  expect(files.filter(path => path.includes('/src/domain/')).length).toBeGreaterThan(10)
  expect(files.filter(path => /@types\/node|lib\.(dom|webworker)/.test(path))).toEqual([])
})
