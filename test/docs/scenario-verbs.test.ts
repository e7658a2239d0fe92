import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isFlow, VERBS } from '../../src/scenario/verbs/index.ts'

const page = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')
const [, steps = ''] = /^## Steps\n([\s\S]*?)^## /m.exec(page) ?? []

test('docs/scenarios.md has a row for each verb, and no other rows', () => {
  const tables = [...steps.matchAll(/^\| step \|.*\n(?:\|.*\n)+/gm)].map(([table]) => table)
  const rows = tables.flatMap(table => table.trim().split('\n').slice(2))
  const named = rows.flatMap(row =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, verb]) => verb),
  )
  const verbs = [...VERBS.values()].filter(entry => !isFlow(entry)).map(({ name }) => name)
  expect(named.sort()).toEqual(verbs.sort())
})

test('docs/scenarios.md explains each verb that contains steps', () => {
  const [, flow = ''] = steps.split('### Flow\n')
  const named = [...flow.matchAll(/`([a-z ]+)(?:`|: )/g)].map(([, verb]) => verb)
  for (const [name, entry] of VERBS) if (isFlow(entry)) expect(named).toContain(name)
})
