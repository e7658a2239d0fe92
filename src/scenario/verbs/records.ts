import { setTimeout as pause } from 'node:timers/promises'
import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { parseDuration } from '../../contract/durations.ts'
import { EVENT_NAMES } from '../../contract/event-names.ts'
import {
  DELIVERY_STATUSES,
  PAYMENT_STATUSES,
  PAYOUT_STATUSES,
  RECEIPT_STATUSES,
} from '../../contract/statuses.ts'
import { EVENT_SCHEMAS } from '../../domain/events.ts'
import { match, matches } from '../expect/match.ts'
import { type ListExpectation, matchList } from '../expect/match-answer.ts'
import type { StepCheck } from '../load/step-check.ts'
import type { Webhook } from '../run/inbox.ts'
import type { Stage } from '../run/stage.ts'
import { historyOf, nothingWrong } from '../run/step-result.ts'
import { BehaviourSchema } from '../schema/account.ts'
import {
  answered,
  anything,
  duration,
  id,
  idempotentCall,
  is,
  matcher,
  maybe,
  name,
  object,
} from '../schema/answers.ts'
import { callControl, callMerchant, controlGet, lookAt } from './calls.ts'
import { brief, type PlainVerb, schemaOf, valueAndExpectation, verb, type Words } from './verb.ts'

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
    title: valueAndExpectation,
    ...(words ? { words } : {}),
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

const EVENTS = Object.keys(EVENT_SCHEMAS)

/** Any record with what the merchant API hides, its history, and any stored value. */
export const RECORDS = [
  verb('expect record', {
    value: id('payment or payout'),
    beside: { is, as: maybe(name) },
    words: { status: [...PAYMENT_STATUSES, ...PAYOUT_STATUSES], 'receipt.status': RECEIPT_STATUSES },
    play: ({ value, step, stage }) =>
      lookAt(
        (id, stage) => controlGet(id.startsWith('po_') ? 'payouts' : 'payments', id, stage),
        value,
        step.is,
        stage,
      ),
  }),
  listVerb('expect history', {
    of: id('record'),
    items: 'history',
    key: 'type',
    words: { '': EVENTS, type: EVENTS },
    list: (stage, record) => historyOf(record, stage),
  }),
  verb('expect value', {
    value: anything('a reference'),
    beside: { is, as: maybe(name) },
    needs: 'any',
    title: ({ step }) => [brief(step.is)],
    play: async ({ value, step }) => ({ value, mismatches: match(step.is, value, '', ['is']) }),
  }),
]

/** The log also has the scenario's own requests to the control surface. */
const CONTROL = '/_paysim/'

/** Any request of the merchant, and the log of all requests. */
export const REQUESTS = [
  verb('request', {
    value: Type.String({
      pattern: '^[A-Z]+ /',
      description: 'a method and a path, such as `GET /payment_intents/x`',
    }),
    beside: {
      query: maybe(object('the query')),
      json: maybe(anything('the JSON body')),
      text: maybe(Type.String({ description: 'the body as text' })),
      ...idempotentCall,
    },
    needs: 'any',
    moves: true,
    check({ step }, check) {
      if (step.json !== undefined && step.text !== undefined)
        check.add([{ field: 'text', message: 'cannot be used with json: a request has only one body' }])
    },
    play(running) {
      const { step, value } = running
      const [method = 'GET', path = '/'] = value.split(' ')
      const raw = step.text === undefined ? {} : { raw: { body: step.text } }
      const json = step.json === undefined ? {} : { json: step.json }
      return callMerchant({ method, path, query: step.query, ...raw, ...json }, running)
    },
  }),
  listVerb('expect requests', {
    items: 'requests',
    key: 'path',
    // The log has the newest first.
    list: async stage =>
      (await stage.simulated.control.requests()).reverse().filter(({ path }) => !path.startsWith(CONTROL)),
  }),
]

/** Webhooks: how the merchant's receiver answers them, which ones arrived, and how the gateway delivered them. */
export const WEBHOOKS = [
  verb('receiver', {
    value: BehaviourSchema,
    async play({ value, stage }) {
      stage.simulated.inbox.behave(value)
      return nothingWrong
    },
  }),
  verb('redeliver', {
    value: id('webhook delivery'),
    beside: answered,
    moves: true,
    play: running => callControl(running.stage.simulated.control.redeliver(running.value), running),
  }),
  listVerb('expect webhooks', {
    items: 'webhooks',
    key: 'type',
    words: {
      '': EVENT_NAMES,
      type: EVENT_NAMES,
      signature: ['valid', 'invalid'],
      'data.status': [...PAYMENT_STATUSES, ...PAYOUT_STATUSES],
      'data.receipt.status': RECEIPT_STATUSES,
    },
    list: async stage => [...stage.simulated.inbox.received],
  }),
  listVerb('expect deliveries', {
    items: 'deliveries',
    key: 'event_type',
    words: { '': EVENT_NAMES, event_type: EVENT_NAMES, status: DELIVERY_STATUSES },
    list: async stage => stage.simulated.control.deliveries(),
  }),
]
