import * as Type from '@sinclair/typebox'
import { FaultRule } from '../../contract/control/faults.ts'
import { ProviderRule } from '../../contract/control/rules.ts'
import { CHECKOUT_MODES } from '../../contract/requests.ts'
import { PAYMENT_TRIGGERS } from '../../domain/lifecycle.ts'
import { anyStep, control, failure, picture } from './answers.ts'
import { CatalogueOverlay } from './catalogue.ts'
import { ClockSchema } from './clock.ts'
import { Behaviour } from './receiver.ts'
import { closed, duration, id, instant, maybe, object, oneOf } from './words.ts'

export const PolicySchema = Type.Object(
  { checkout_modes: Type.Array(oneOf(CHECKOUT_MODES), { uniqueItems: true }) },
  { ...closed, description: 'the Team policy: which checkout modes are allowed' },
)

const Advance = Type.Unsafe<string | { to: string } | { until: 'idle'; max?: string }>({
  description: 'a duration, `idle`, or {to} or {until: idle, max}',
  anyOf: [
    duration('how far'),
    { type: 'string', const: 'idle' },
    Type.Object({ to: instant('when') }, closed),
    Type.Object({ until: oneOf(['idle']), max: maybe(duration('no further than this')) }, closed),
  ],
})

/** What the people and machines around the merchant do: only a simulator can be told. @internal */
export const OPERATOR_STEPS = {
  advance: Type.Object({ advance: Advance, ...anyStep }, closed),
  trigger: Type.Object(
    {
      trigger: oneOf(PAYMENT_TRIGGERS, 'what the provider does'),
      payment: id('payment'),
      ...failure,
      ...control,
    },
    closed,
  ),
  'create payout': Type.Object({ 'create payout': object('the body'), ...control }, closed),
  'approve payout': Type.Object({ 'approve payout': id('payout'), ...control }, closed),
  'succeed payout': Type.Object({ 'succeed payout': id('payout'), ...control }, closed),
  'fail payout': Type.Object({ 'fail payout': id('payout'), ...failure, ...control }, closed),
  'upload asset': Type.Object(
    { 'upload asset': oneOf(['payment_receipt', 'other'], 'its kind'), ...picture, ...control },
    closed,
  ),
  redeliver: Type.Object({ redeliver: id('webhook delivery'), ...control }, closed),
  'set health': Type.Object(
    {
      'set health': Type.Record(Type.String(), Type.Boolean(), { description: 'providers, healthy or not' }),
      ...anyStep,
    },
    closed,
  ),
  'set policy': Type.Object({ 'set policy': PolicySchema, ...anyStep }, closed),
  'set catalogue': Type.Object({ 'set catalogue': CatalogueOverlay, ...anyStep }, closed),
  'set rules': Type.Object({ 'set rules': Type.Array(ProviderRule), ...anyStep }, closed),
  'add rules': Type.Object({ 'add rules': Type.Array(ProviderRule), ...anyStep }, closed),
  'set faults': Type.Object({ 'set faults': Type.Array(FaultRule), ...anyStep }, closed),
  'set clock': Type.Object({ 'set clock': ClockSchema, ...anyStep }, closed),
  receiver: Type.Object({ receiver: Behaviour, ...anyStep }, closed),
}
