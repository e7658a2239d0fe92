import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { filesBelow } from '../support/structure/files-below.ts'
import { readArrows } from '../support/structure/import-arrows.ts'

test('src/ follows the import arrows', async () => {
  const { modules, violations } = await readArrows(process.cwd())
  // Without a TypeScript that it understands, dependency-cruiser sees no module and finds nothing wrong.
  const isCode = (path: string) => /\.tsx?$/.test(path)
  expect([...new Set(modules)].filter(isCode).sort()).toEqual(filesBelow('src').filter(isCode))
  expect(violations).toEqual([])
})

/** Each breaks one arrow. A rule that would not notice keeps nothing. */
const BROKEN: [rule: string, files: Record<string, string>][] = [
  ['contract-imports', { 'contract/a.ts': `import '../domain/b.ts'`, 'domain/b.ts': '' }],
  ['contract-imports', { 'contract/a.ts': `import type { B } from '../b.ts'`, 'b.ts': 'export type B = 1' }],
  ['files-imports', { 'files/a.ts': `import '../contract/b.ts'`, 'contract/b.ts': '' }],
  ['domain-imports', { 'domain/a.ts': `import('../engine/b.ts')`, 'engine/b.ts': '' }],
  ['domain-imports', { 'domain/a.ts': `export * from '../files/b.ts'`, 'files/b.ts': '' }],
  ['domain-is-pure', { 'domain/a.ts': `import type { Hash } from 'node:crypto'` }],
  ['domain-is-pure', { 'domain/a.ts': `import { Ajv } from 'ajv'` }],
  ['engine-imports', { 'engine/a.ts': `import type { B } from '../server/b.ts'`, 'server/b.ts': '' }],
  ['engine-imports', { 'engine/a.ts': `import '../simulator.ts'`, 'simulator.ts': '' }],
  ['server-imports', { 'server/a.ts': `import '../simulator.ts'`, 'simulator.ts': '' }],
  ['client-imports', { 'client/a.ts': `import '../domain/b.ts'`, 'domain/b.ts': '' }],
  ['scenario-imports', { 'scenario/a.ts': `import '../engine/b.ts'`, 'engine/b.ts': '' }],
  ['web-imports', { 'web/a.ts': `import '../domain/b.ts'`, 'domain/b.ts': '' }],
  ['server-only-composed', { 'cli/a.ts': `import type { B } from '../server/b.ts'`, 'server/b.ts': '' }],
  ['server-only-composed', { 'index.ts': `export * from './server/b.ts'`, 'server/b.ts': '' }],
  ['cli-is-the-end', { 'simulator.ts': `import './cli/b.ts'`, 'cli/b.ts': '' }],
  [
    'no-cycles',
    { 'cli/a.ts': `import './b.ts'`, 'cli/b.ts': `import type { A } from './a.ts'\nexport type B = A` },
  ],
  ['lists-what-it-imports', { 'cli/a.ts': `import 'a-package-that-is-not-there'` }],
  [
    'lists-what-it-imports',
    {
      'cli/a.ts': `import type { Tool } from 'tool'`,
      '../package.json': '{ "dependencies": { "another": "1" } }',
      '../node_modules/tool/index.js': '',
    },
  ],
  ['stays-inside', { 'cli/a.ts': `import '../../test/b.ts'`, '../test/b.ts': '' }],
]

test.each(BROKEN)('%s detects %j', async (rule, files) => {
  const { modules, violations } = await readArrows(treeOf(files))
  expect(modules.length).toBeGreaterThan(0)
  expect(violations.map(violation => violation.split(':')[0])).toContain(rule)
})

test('imports that the arrows allow break no rule', async () => {
  const tree = treeOf({
    'contract/a.ts': `import 'node:crypto'`,
    'domain/a.ts': `import '../contract/a.ts'`,
    'files/a.ts': `import 'node:fs'`,
    'package-files.ts': '',
    'engine/a.ts': `import '../domain/a.ts'\nimport '../contract/a.ts'\nimport '../files/a.ts'\nimport '../package-files.ts'`,
    'server/a.ts': `import '../engine/a.ts'\nimport '../domain/a.ts'\nimport '../contract/a.ts'`,
    'client/a.ts': `import '../contract/a.ts'`,
    'simulator.ts': `import './engine/a.ts'\nimport './server/a.ts'`,
    'cli/a.ts': `import '../simulator.ts'\nimport '../engine/a.ts'\nimport '../client/a.ts'`,
    'index.ts': `import './simulator.ts'\nimport './client/a.ts'`,
  })
  expect((await readArrows(tree)).violations).toEqual([])
})

function treeOf(files: Record<string, string>): string {
  const tree = mkdtempSync(join(tmpdir(), 'paysim-arrows-'))
  onTestFinished(() => rmSync(tree, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    const file = join(tree, 'src', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return tree
}
