import { setTimeout as pause } from 'node:timers/promises'
import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { parseDuration } from '../../contract/durations.ts'
import { matches } from '../expect/match.ts'
import { type ListExpectation, matchList } from '../expect/match-list.ts'
import type { StepCheck } from '../load/step-check.ts'
import type { Webhook } from '../run/inbox.ts'
import type { Stage } from '../run/stage.ts'
import { duration, matcher, maybe, name } from '../schema/words.ts'
import type { Words } from './known-words.ts'
import { valueAndExpectation } from './title.ts'
import { type PlainVerb, schemaOf } from './verb.ts'

const items = (description: string) =>
  Type.Array(matcher('an item; a single word is its type'), { description })

/** What to check in a list. At least one of the first four is required. */
const expectations = {
  exactly: maybe(items('exactly these items, in this order')),
  include: maybe(items('at least these items, in this order')),
  count: maybe(matcher('the number of items')),
  none: maybe(matcher('the list has no item like this; true means that it is empty')),
  'any order': maybe(Type.Literal(true, { description: 'the order does not matter' })),
  within: maybe(duration('how long to wait on a real clock; 5s by default')),
  as: maybe(name),
}
const NEEDED = ['exactly', 'include', 'count', 'none'] as const

const filter = Type.Unsafe<unknown>({ description: '`all`, or a condition that selects items' })

interface ListParts<Value> {
  /** The value of the verb; `all` or a filter by default. */
  readonly of?: TSchema & { static: Value }
  /** What to call the items. */
  readonly items: string
  /** The member that a single word stands for. */
  readonly key: string
  readonly words?: Words
  list(stage: Stage, value: Value): Promise<readonly unknown[]>
}

/** How long to wait on a real clock for something in progress. */
const PATIENCE = '5s'
const POLL_MS = 50

type ListStep<Name extends string, Value> = { [K in Name]: Value } & ListExpectation & {
    within?: string
    as?: string
    note?: string
  }

/** A verb that checks a list. It changes nothing, and needs a simulator. */
export function listVerb<const Name extends string, Value = unknown>(
  name: Name,
  { of, items, key, words, list }: ListParts<Value>,
): PlainVerb<Name, ListStep<Name, Value>> {
  return {
    name,
    schema: schemaOf(name, of ?? filter, expectations),
    needs: 'simulator',
    moves: false,
    ...(words ? { words } : {}),
    title: valueAndExpectation,
    check({ step, value }, check) {
      if (!of && value !== 'all') check.expectation(value, [name])
      checkList(name, step, check)
    },
    async play({ step, stage }) {
      const { within = PATIENCE, [name]: value } = step
      await stage.settle()
      const deadline = Date.now() + (parseDuration(within) ?? 0)
      const filter = of ? 'all' : value
      for (;;) {
        const all = await list(stage, value)
        const looked = all.filter(item => filter === 'all' || matches(wordIn(filter, key), item))
        const { mismatches, covered } = matchList(looked, step, key, items)
        for (const item of covered) stage.tracker.expected.add(item as Webhook)
        if (mismatches.length === 0 || stage.virtual || Date.now() >= deadline)
          return { value: looked, mismatches, ...(of ? { subject: String(value) } : {}) }
        await pause(POLL_MS)
      }
    },
  }
}

function checkList(name: string, expected: ListExpectation, check: StepCheck): void {
  if (!NEEDED.some(key => expected[key] !== undefined))
    check.say([name], `${name} needs at least one of ${NEEDED.join(', ')}`)
  for (const key of ['exactly', 'include'] as const)
    for (const [at, item] of (expected[key] ?? []).entries()) check.expectation(item, [key, at])
  if (expected.none !== true) check.expectation(expected.none, ['none'])
  check.expectation(expected.count, ['count'], { words: false })
}

const wordIn = (filter: unknown, key: string) => (typeof filter === 'string' ? { [key]: filter } : filter)
