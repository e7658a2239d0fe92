import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ACTION_TYPES } from '../../src/contract/resources.ts'
import { CHECKOUT_MODES, PAYMENT_STATUSES, RECEIPT_STATUSES } from '../../src/contract/statuses.ts'
import { entriesAbout, NotRepeatableError, storyOf } from '../../src/scenario/from/story.ts'
import { yamlOf } from '../../src/scenario/from/yaml.ts'
import { ScenarioError } from '../../src/scenario/index.ts'
import { isLong } from '../support/long-form.ts'
import { AnswersKept } from '../support/model/answers-kept.ts'
import { MemoryShelf } from '../support/model/journals.ts'
import { CONTRACT, Machine } from '../support/model/machine.ts'
import { perform } from '../support/model/perform.ts'
import { CATALOGUES } from '../support/model/provider.ts'
import { seedOf, TEN_MINUTES } from '../support/model/runs.ts'
import { anyStep, type Step } from '../support/model/steps.ts'
import { failureOf, useStage } from '../support/scenario/stage.ts'

const standard = JSON.parse(readFileSync(new URL('../../fixtures/catalogue.json', import.meta.url), 'utf8'))
const stage = useStage()

interface Told {
  readonly text: string
  /** The entries of the history that changed one of its records. */
  readonly changes: number
  readonly kinds: ReadonlySet<string>
}

/** Plays the steps of the model, and writes all of its payments and payouts as a scenario. */
async function told(steps: readonly Step[]): Promise<Told> {
  const machine = await Machine.start(new MemoryShelf(), [])
  const kept = new AnswersKept()
  try {
    for (const [number, step] of steps.entries()) await perform(step, { machine, kept, number })
    const { payments, payouts } = machine.world
    const ids = [...payments, ...payouts].map(([id]) => id)
    const entries = await entriesAbout(ids, id => machine.account.journal.history(id))
    const catalogue = machine.world.catalogue?.data ?? CATALOGUES[0] ?? standard
    const history = { environment: 'test', contract: CONTRACT, ids, entries, catalogue, standard } as const
    const changes = entries.filter(({ by }) => by !== 'courier').length
    return { text: yamlOf(storyOf(history)), changes, kinds: new Set(steps.map(({ kind }) => kind)) }
  } finally {
    await machine.close()
  }
}

/** The page has no field for an address of e-mail. */
function asOnAPage(step: Step): Step {
  if (step.kind !== 'choose') return step
  const { email: _, ...customer } = step.customer
  return { ...step, customer }
}

/** At least so many changes of the records, besides those of other things. */
const CHANGES = 20
const histories = fc
  .array(anyStep, { minLength: 70, maxLength: 90, size: 'max' })
  .map(steps => steps.map(asOnAPage))

const TOLD = isLong ? 200 : 6

test(
  'a random history, written as a scenario, passes, and changed in one place it fails',
  async () => {
    const kinds = new Set<string>()
    const property = fc.asyncProperty(histories, fc.nat(), async (steps, pick) => {
      const story = await told(steps)
      fc.pre(story.changes >= CHANGES)
      for (const kind of story.kinds) kinds.add(kind)
      const result = await stage.tell(story.text)
      expect(failureOf(result), story.text).toEqual([])
      expect(result.ok).toBe(true)

      const { what, text } = changedIn(story.text, pick)
      expect(await passes(text), `${what}\n${story.text}`).toBe(false)
    })
    // To shrink a history takes minutes, and what failed is printed as it was run.
    const seed = seedOf('written as scenarios', TOLD)
    await fc.assert(property, { numRuns: TOLD, seed, endOnFailure: true })
    if (isLong) expect([...kinds].sort()).toEqual(EVERY_KIND)
  },
  TEN_MINUTES,
)

const EVERY_KIND = [
  ...['advance', 'answer', 'asset', 'attach', 'cancel', 'catalogue', 'choose', 'clock', 'create'],
  ...['endpoint', 'endpoint-removed', 'faults', 'health', 'idle', 'late-answer', 'next-timer', 'payout'],
  ...['payout-cancel', 'payout-move', 'policy', 'redeliver', 'repeat', 'replay', 'restart', 'rules'],
  ...['rules-in-front', 'secret', 'trigger', 'unknown', 'upload'],
]

// biome-ignore lint/suspicious/noExplicitAny: a scenario has any shape
type Json = any

/** A file that is refused does not pass either. */
const passes = (text: string) =>
  stage.tell(text).then(
    ({ ok }) => ok,
    error => {
      if (error instanceof ScenarioError) return false
      throw error
    },
  )

/** Another value in one place of a step that people see, or one step less. */
function changedIn(text: string, pick: number): { readonly what: string; readonly text: string } {
  const data = parse(text)
  const places = (data.steps as Json[]).flatMap((step, at) => placesIn(step, ['steps', at]))
  const place = places[pick % places.length] ?? []
  const last = place.at(-1) ?? ''
  const owner = place.slice(0, -1).reduce<Json>((value, key) => value[key], data)
  const before = owner[last]
  owner[last] = other(before)
  return { what: `${place.join('.')}: ${JSON.stringify(before)}`, text: JSON.stringify(data) }
}

/** Values that nobody looks at afterwards: names, keys of requests, and the image that stands for another one. */
const FREE = new Set(['as', 'key', 'image', 'account_number', 'note', 'any order'])

function placesIn(value: Json, path: readonly (string | number)[]): (string | number)[][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) =>
      FREE.has(key) || key.startsWith('set ') ? [] : placesIn(inner, [...path, key]),
    )
  return [[...path]]
}

const WORDS: readonly (readonly string[])[] = [
  PAYMENT_STATUSES,
  RECEIPT_STATUSES,
  ACTION_TYPES,
  CHECKOUT_MODES,
]

function other(value: Json): Json {
  if (typeof value === 'number') return value + 1
  if (typeof value !== 'string') return 'something else'
  const words = WORDS.find(known => known.includes(value))
  if (words) return words[(words.indexOf(value) + 1) % words.length]
  // Digits are an amount, and one unit less keeps its length, so that its route still takes it.
  if (/^\d+$/.test(value)) return String(BigInt(value) + 1n)
  if (/^(\d+(ms|s|m|h|d))+$/.test(value)) return `${value}1ms`
  return value.includes('${') ? '${account.id}' : `${value}x`
}

const order: Step = {
  kind: 'create',
  mode: 'merchant',
  method: 'transfer',
  bank: undefined,
  customer: { name: 'Ann', phone: '0812' },
  amount: '5000',
  reference: 'order-1',
  key: 1,
}

/** What a text could do to a file, a line, a string of some language or a comment. */
const HOSTILE = [
  `\${start} \${payment.id} \${`,
  '$${start} $$${now} ${a${b}',
  'a: b # c',
  '- x',
  `'"\`'''"""\\ */ <!-- </script>`,
  'one\ntwo\r\n  - create payment: {}\n',
  '\u2028\u2029\u0085\ufeff\u202e\u00ad',
  ' leading and trailing ',
  '~',
  '0x10',
  'yes',
  '&a *a !!str |',
  '\ud83d\ude00 ไทย',
]

test('texts of records stay what they are', async () => {
  const steps = HOSTILE.map(
    (text): Step => ({ ...order, key: undefined, reference: text, customer: { name: text } }) as Step,
  )
  const { text } = await told([...steps, { kind: 'payout-cancel', pick: 0, reason: undefined }])
  expect(parse(text).steps.filter((step: Json) => 'create payment' in step)).toHaveLength(HOSTILE.length)
  // Nothing looks like another line, and nothing is hidden.
  expect(text).not.toMatch(/[\u0085\u2028\u2029\ufeff\u202e\r]/)
  expect(text.split('\n').filter(line => line.startsWith('  - create payment:'))).toHaveLength(HOSTILE.length)
  const result = await stage.tell(text)
  expect(failureOf(result), text).toEqual([])
})

test('a history without its beginning is refused', async () => {
  const entries = [
    { v: 1, seq: 7, at: 0, by: 'operator', events: [{ type: 'PaymentExpired', payment: 'pi_1' }] },
  ] as const
  const history = {
    environment: 'test',
    contract: CONTRACT,
    ids: ['pi_1'],
    entries,
    catalogue: standard,
    standard,
  } as const
  expect(() => storyOf(history)).toThrow(NotRepeatableError)
})
