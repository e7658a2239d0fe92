import * as Type from '@sinclair/typebox'
import type { AdvanceGoal } from '../../client/control-client.ts'
import { oneOf } from '../../contract/schema.ts'
import { nothingWrong } from '../run/step-result.ts'
import { ClockSchema, modeOf } from '../schema/account.ts'
import { closed, duration, instant, maybe } from '../schema/words.ts'
import { callControl } from './calls.ts'
import { listVerb } from './records.ts'
import { verb, wholeValue } from './verb.ts'

const goal = Type.Unsafe<string | { to: string } | { until: 'idle'; max?: string }>({
  description: 'a duration, `idle`, or {to} or {until: idle, max}',
  anyOf: [
    duration('how far'),
    { type: 'string', const: 'idle' },
    Type.Object({ to: instant('when') }, closed),
    Type.Object({ until: oneOf(['idle']), max: maybe(duration('the furthest to move')) }, closed),
  ],
})

/** The account's clock and timers. */
export const CLOCK = [
  verb('advance', {
    value: goal,
    title: wholeValue,
    check(_, check) {
      if (check.clockMode !== 'virtual')
        check.say(
          ['advance'],
          'advance needs a virtual clock, but this one is real: remove the step, or set clock: virtual',
        )
    },
    play(running) {
      const { value, stage } = running
      const to: AdvanceGoal = value === 'idle' ? { until: 'idle' } : value
      return callControl({ answer: () => stage.advance(to) }, { ...running, step: {} })
    },
  }),
  verb('set clock', {
    value: ClockSchema,
    check({ value }, check) {
      check.clockMode = modeOf(value)
    },
    async play({ value, stage }) {
      const { now, mode } = await stage.simulated.control.clock.set(value)
      stage.arriveAt(now)
      stage.virtual = mode === 'virtual'
      return nothingWrong
    },
  }),
  listVerb('expect timers', {
    items: 'timers',
    key: 'type',
    list: async stage =>
      (await stage.simulated.control.timers()).map(timer => ({ type: timer.command.type, ...timer })),
  }),
]
