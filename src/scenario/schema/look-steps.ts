import * as Type from '@sinclair/typebox'
import { anyStep } from './answers.ts'
import { A_STEP, closed, count, duration, id, matcher, maybe, name } from './words.ts'

const look = { ...anyStep, as: maybe(name) }
const is = Type.Unknown({ description: 'what it must be' })
const items = (description: string) =>
  Type.Array(matcher('an item; a word alone is its type'), { description })

/** What is expected of a list. At least one of the four must be said. */
const list = {
  ...look,
  exactly: maybe(items('these and no others, in this order')),
  include: maybe(items('these among others, in this order')),
  count: maybe(matcher('how many')),
  none: maybe(matcher('no item is like this; true for no item at all')),
  'any order': maybe(Type.Literal(true, { description: 'the order does not matter' })),
  within: maybe(duration('how long to wait on a real clock; 5s unless told')),
}
const which = Type.Unsafe<unknown>({ description: '`all`, or what an item must be to be looked at' })

export const LOOK_STEPS = {
  'expect payment': Type.Object({ 'expect payment': id('payment'), is, ...look }, closed),
  'expect receipt': Type.Object({ 'expect receipt': id('payment'), is, ...look }, closed),
  'expect payout': Type.Object({ 'expect payout': id('payout'), is, ...look }, closed),
  'expect record': Type.Object({ 'expect record': id('payment or payout'), is, ...look }, closed),
  'expect value': Type.Object(
    { 'expect value': Type.Unknown({ description: 'a reference' }), is, ...look },
    closed,
  ),
  'wait for payment': Type.Object(
    {
      'wait for payment': id('payment'),
      is,
      within: maybe(duration('how long; 72h virtual, 30s real')),
      ...look,
    },
    closed,
  ),
  'expect webhooks': Type.Object({ 'expect webhooks': which, ...list }, closed),
  'expect provider calls': Type.Object({ 'expect provider calls': which, ...list }, closed),
  'expect history': Type.Object({ 'expect history': id('record'), ...list }, closed),
  'expect deliveries': Type.Object({ 'expect deliveries': which, ...list }, closed),
  'expect requests': Type.Object({ 'expect requests': which, ...list }, closed),
  'expect timers': Type.Object({ 'expect timers': which, ...list }, closed),
}

type Story = object[]
const nested = Type.Unsafe<Story>({ type: 'array', minItems: 1, items: A_STEP })

/** Steps made of steps. */
export const FLOW_STEPS = {
  repeat: Type.Object(
    {
      repeat: count(`how often; \${n} counts from 1`),
      until: maybe(
        Type.Object(
          { value: Type.Unknown({ description: 'a reference' }), is },
          { ...closed, description: 'ends it early, looked at after each round; it must come true' },
        ),
      ),
      steps: nested,
      ...anyStep,
    },
    closed,
  ),
  parallel: Type.Object(
    {
      parallel: Type.Unsafe<number | (object | Story)[]>({
        description: 'so many copies of `steps` at once, or these branches',
        anyOf: [
          count(`how many; \${n} counts them from 1`),
          {
            type: 'array',
            minItems: 2,
            items: { anyOf: [A_STEP, nested] },
          },
        ],
      }),
      steps: maybe(nested),
      ...anyStep,
    },
    closed,
  ),
}
