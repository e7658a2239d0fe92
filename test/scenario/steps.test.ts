import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { VERBS } from '../../src/scenario/verbs/index.ts'
import { failureOf, useStage } from '../support/scenario/stage.ts'

// Each step passes when its expectation is met and fails when it is not: an expectation that cannot fail is useless.

interface Case {
  readonly verb: string
  readonly head?: object
  readonly after?: string
  readonly holds: readonly object[]
  readonly fails: readonly object[]
  readonly at: string
}
const { preludes, cases } = parse(readFileSync(new URL('steps.yaml', import.meta.url), 'utf8')) as {
  preludes: Record<string, object[]>
  cases: Case[]
}

const stage = useStage()

const prelude = ({ after }: Case) => (after === undefined ? [] : (preludes[after] ?? []))

/** One step a line, the first on line 3: JSON is YAML. */
function story(one: Case, steps: readonly object[]): string {
  const head = { paysim: 1, name: 'x', ...one.head }
  const lines = [...prelude(one), ...steps].map(step => JSON.stringify(step))
  return `${JSON.stringify(head).slice(0, -1)},\n"steps": [\n${lines.join(',\n')}]}`
}

test('the cases cover every step', () => {
  expect(new Set(cases.map(({ verb }) => verb))).toEqual(new Set(VERBS.keys()))
})

describe.each(cases)('$verb', one => {
  test(`holds: ${JSON.stringify(one.holds)}`, async () => {
    const result = await stage.tell(story(one, one.holds))
    expect(failureOf(result)).toEqual([])
    expect(result.ok).toBe(true)
  })

  test(`fails: ${JSON.stringify(one.fails)}`, async () => {
    const result = await stage.tell(story(one, one.fails))
    expect(result.ok).toBe(false)
    const [found = ''] = failureOf(result)
    expect(found.split(': ')[1] ?? '').toBe(one.at)
    expect(Number.parseInt(found, 10)).toBeGreaterThan(2 + prelude(one).length)
    // What comes after a step that failed is not told.
    expect(result.steps.at(-1)?.failure).toBeDefined()
  })
})
