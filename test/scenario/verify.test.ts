import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { failureOf, useStage } from '../support/scenario/stage.ts'

// What a file says around its steps, and at its end.

interface Case {
  readonly what: string
  readonly file: object
  readonly holds: readonly unknown[]
  readonly fails: readonly unknown[]
  readonly at: readonly string[]
}
const read = (name: string) => parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const { cases } = read('verify.yaml') as { cases: Case[] }
const { preludes } = read('steps.yaml') as { preludes: Record<string, unknown[]> }

const stage = useStage()

function story({ file }: Case, steps: readonly unknown[]): string {
  const told = steps.flatMap(step => (typeof step === 'string' ? (preludes[step] ?? []) : [step]))
  return stringify({ paysim: 1, name: 'x', ...file, steps: told }, { aliasDuplicateObjects: false })
}

describe.each(cases)('$what', one => {
  test('holds for what happened', async () => {
    const result = await stage.tell(story(one, one.holds))
    expect(failureOf(result)).toEqual([])
    expect(result.ok).toBe(true)
  })

  test('does not hold for something else', async () => {
    const result = await stage.tell(story(one, one.fails))
    expect(failureOf(result), story(one, one.fails)).toEqual(one.at)
    expect(result.ok).toBe(false)
  })
})
