import * as Type from '@sinclair/typebox'
import type { AdvanceGoal } from '../../client/control-client.ts'
import { FaultRule } from '../../contract/control/faults.ts'
import { PROVIDER_CALLS } from '../../contract/control/payments.ts'
import { ProviderRule } from '../../contract/control/rules.ts'
import { oneOf } from '../../contract/schema.ts'
import { catalogueProblems, checkPicture, faultProblems, ruleProblems } from '../load/step-check.ts'
import { mergeCatalogue } from '../run/account.ts'
import { pictureOf } from '../run/pictures.ts'
import type { Stage } from '../run/stage.ts'
import { nothingWrong } from '../run/step-result.ts'
import { CatalogueOverlay, ClockSchema, modeOf, PolicySchema } from '../schema/account.ts'
import { answered, closed, duration, instant, maybe, picture } from '../schema/answers.ts'
import { callControl } from './calls.ts'
import { listVerb } from './records.ts'
import { nothing, numberOfItems, verb, wholeValue } from './verb.ts'

const rules = Type.Array(ProviderRule)

/** What the operator sets: the provider's rules, catalogue and health, the policy, and faults. */
export const OPERATOR = [
  verb('set rules', {
    value: rules,
    title: numberOfItems,
    check: ({ value }, check) => check.add(ruleProblems('set rules', value)),
    async play({ value, stage, path }) {
      const used = await usedSoFar(stage, 'rules')
      const state = await stage.simulated.control.rules.replace(value)
      stage.tracker.replace('rules', used, [...path, 'set rules'], value, state.used)
      return nothingWrong
    },
  }),
  verb('add rules', {
    value: rules,
    title: numberOfItems,
    check: ({ value }, check) => check.add(ruleProblems('add rules', value)),
    async play({ value, stage, path }) {
      stage.tracker.addRules([...path, 'add rules'], value)
      await stage.simulated.control.rules.prepend(value)
      return nothingWrong
    },
  }),
  verb('set faults', {
    value: Type.Array(FaultRule),
    title: numberOfItems,
    check: ({ value }, check) => check.add(faultProblems('set faults', value, check.standards)),
    async play({ value, stage, path }) {
      const used = await usedSoFar(stage, 'faults')
      const state = await stage.simulated.control.faults.replace(value)
      stage.tracker.replace('faults', used, [...path, 'set faults'], value, state.used)
      return nothingWrong
    },
  }),
  verb('set catalogue', {
    value: CatalogueOverlay,
    title: nothing,
    check: ({ value }, check) => check.add(catalogueProblems('set catalogue', value, check.standards)),
    async play({ value, stage }) {
      await mergeCatalogue(stage.simulated.control, value)
      return nothingWrong
    },
  }),
  verb('set health', {
    value: Type.Record(Type.String(), Type.Boolean(), {
      description: 'providers, each true (healthy) or false',
    }),
    async play({ value, stage }) {
      for (const [provider, healthy] of Object.entries(value))
        await stage.simulated.control.catalogue.setHealth(provider, healthy)
      return nothingWrong
    },
  }),
  verb('set policy', {
    value: PolicySchema,
    async play({ value, stage }) {
      const { simulator, merchant } = stage.simulated
      await simulator.merchants.change(merchant, value)
      return nothingWrong
    },
  }),
  verb('upload asset', {
    value: oneOf(['payment_receipt', 'other'], 'its kind'),
    beside: { ...picture, ...answered },
    check: ({ step }, check) => checkPicture('upload asset', step, ['image', 'file'], check),
    async play(running) {
      const { value: kind, step, stage } = running
      const { bytes, fileName: filename } = await pictureOf(step, stage)
      return callControl(stage.simulated.control.assets.upload(bytes, { kind, filename }), running)
    },
  }),
  listVerb('expect provider calls', {
    items: 'provider calls',
    key: 'call',
    words: { '': PROVIDER_CALLS, call: PROVIDER_CALLS },
    list: async stage => stage.simulated.control.providerCalls(),
  }),
]

async function usedSoFar({ simulated }: Stage, kind: 'rules' | 'faults'): Promise<readonly number[]> {
  return (await simulated.control[kind].get()).used
}

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
