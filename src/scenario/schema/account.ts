import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { EVENT_NAMES } from '../../contract/event-names.ts'
import { oneOf } from '../../contract/schema.ts'
import { CHECKOUT_MODES } from '../../contract/statuses.ts'
import { closed, duration, instant, maybe, text } from './answers.ts'

/** The settings of an account, which steps can change: the clock, the policy, the webhook receiver. */

type ClockMode = 'virtual' | 'real'
export type ScenarioClock = ClockMode | { mode: ClockMode; now?: string; rate?: number | string }

const mode = oneOf(['virtual', 'real'])
export const ClockSchema = Type.Unsafe<ScenarioClock>({
  description: 'virtual moves only with `advance`; real runs at wall time, multiplied by `rate`',
  anyOf: [
    mode,
    Type.Object(
      {
        mode,
        now: maybe(instant('its start time')),
        rate: maybe(
          Type.Union([
            Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
            Type.String({ pattern: '^\\d+(\\.\\d+)?x$' }),
          ]),
        ),
      },
      closed,
    ),
  ],
})

/** The default start of a virtual clock. It is far from today, so that a real time stands out. */
export const CLOCK_BEGINS = '2030-01-01T00:00:00Z'

/** The mode of a clock in any of its forms. */
export const modeOf = (clock: ScenarioClock | undefined): ClockMode =>
  typeof clock === 'object' ? clock.mode : (clock ?? 'virtual')

export const PolicySchema = Type.Object(
  { checkout_modes: Type.Array(oneOf(CHECKOUT_MODES), { uniqueItems: true }) },
  { ...closed, description: 'the policy of the Team: the allowed checkout modes' },
)
export type ScenarioPolicy = Static<typeof PolicySchema>

const Reply = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599, description: 'the HTTP status of the answer' }),
    retry_after: maybe(duration('the Retry-After of the answer')),
    times: maybe(
      Type.Integer({
        minimum: 1,
        description: 'how many webhooks get this reply; the last reply repeats forever',
      }),
    ),
  },
  closed,
)
export type ReceiverReply = Static<typeof Reply>

/** `up` answers 200 and `down` closes the connection; or one reply; or a list of replies. */
export type ReceiverBehaviour = 'up' | 'down' | ReceiverReply | ReceiverReply[]
export const BehaviourSchema = Type.Unsafe<ReceiverBehaviour>({
  description: 'up (200), down (closes the connection), one reply, or a list of replies',
  anyOf: [oneOf(['up', 'down']), Reply, Type.Array(Reply, { minItems: 1 })],
})

export const ReceiverSchema = Type.Object(
  {
    events: maybe(
      Type.Array(oneOf([...EVENT_NAMES, '*']), {
        minItems: 1,
        description: 'the events that it subscribes to; by default, the final events',
      }),
    ),
    answers: maybe(BehaviourSchema),
  },
  { ...closed, description: "the merchant's webhook receiver" },
)

type Entry = Record<string, unknown>
type OverlayEntry<Key extends string> = { [K in Key]: string } & Entry

/** Changes to the default catalogue, by id and code; new routes are tried first. `replace` gives a whole catalogue. */
export interface CatalogueOverlay {
  providers?: OverlayEntry<'id'>[]
  methods?: OverlayEntry<'code'>[]
  routes?: OverlayEntry<'id'>[]
  replace?: Record<string, unknown>
}

/** The other members are checked when the two catalogues are merged. */
const entry = (key: string) =>
  Type.Object({ [key]: text('the entry to change, or a new name') }, { additionalProperties: true })

export const CatalogueOverlay = Type.Unsafe<CatalogueOverlay>(
  Type.Object(
    {
      providers: maybe(Type.Array(entry('id'))),
      methods: maybe(Type.Array(entry('code'))),
      routes: maybe(Type.Array(entry('id'))),
      replace: maybe(Type.Object({}, { description: 'a whole catalogue, instead of the default one' })),
    },
    {
      ...closed,
      description: 'changes to the default catalogue, by id and code; new routes are tried first',
    },
  ),
)

const KEYS = { providers: 'id', methods: 'code', routes: 'id' } as const
type List = keyof typeof KEYS

export type CatalogueLists = Record<List, Entry[]>

/** Merges two catalogues: an entry with the same name is changed, and a new entry goes in front. */
export function overlay(base: CatalogueLists, { replace, ...over }: CatalogueOverlay): unknown {
  if (replace !== undefined) return replace
  return Object.fromEntries(
    (Object.keys(KEYS) as List[]).map(list => [list, laidOver(base[list], over[list] ?? [], KEYS[list])]),
  )
}

function laidOver(base: readonly Entry[], over: readonly Entry[], key: string): Entry[] {
  const changes = new Map(over.map(entry => [entry[key], entry]))
  const known = new Set(base.map(entry => entry[key]))
  return [
    ...over.filter(entry => !known.has(entry[key])),
    ...base.map(entry => ({ ...entry, ...changes.get(entry[key]) })),
  ]
}

/**
 * Finds where a problem of the merged catalogue is in the overlay: `routes.3.method` may be `routes.0.method` there.
 */
export function pathInOverlay(merged: unknown, over: CatalogueOverlay, field: string): string {
  if (over.replace !== undefined) return `replace.${field}`
  const [list = '', at = '', ...rest] = field.split('.')
  if (!(list in KEYS)) return ''
  const key = KEYS[list as List]
  const name = (merged as CatalogueLists)[list as List]?.[Number(at)]?.[key]
  const entries: readonly Entry[] = over[list as List] ?? []
  const index = entries.findIndex(entry => entry[key] === name)
  return index < 0 ? list : [list, index, ...rest].join('.')
}
