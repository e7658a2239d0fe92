import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

interface LayerRule {
  name: string
  to: { pathNot?: string }
}
const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: LayerRule[]
}
const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')

const layers = forbidden.flatMap(({ name, to }) => {
  const folder = /^(\w+)-imports$/.exec(name)?.[1]
  if (folder === undefined || !existsSync(new URL(`../../src/${folder}`, import.meta.url))) return []
  const others = [...(to.pathNot ?? '').matchAll(/([\w-]+(?:\/[\w-]+)*)(?:\/|\\\.ts)/g)].map(
    ([, other = '']) => other,
  )
  // A file that knows where the package lies is not worth an arrow.
  return [
    { folder, others: others.filter(other => other !== folder && !['src', 'package-files'].includes(other)) },
  ]
})

test.for(layers)('docs/architecture.md says what $folder/ may know', ({ folder, others }) => {
  const [, known = ''] = new RegExp(`^\\| \`${folder}/\` \\|.*\\| (.*) \\|$`, 'm').exec(page) ?? []
  expect(known.split(', ')).toEqual(others.length > 0 ? others : ['nothing of ours'])
})
