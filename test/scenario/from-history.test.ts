import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { formatDuration, parseDuration } from '../../src/contract/durations.ts'
import { ACTION_TYPES } from '../../src/contract/resources.ts'
import { CHECKOUT_MODES, PAYMENT_STATUSES, RECEIPT_STATUSES } from '../../src/contract/statuses.ts'
import { connectSimulator } from '../../src/index.ts'
import { pytestOf, vitestOf } from '../../src/scenario/from/code.ts'
import { entriesAbout, NotRepeatableError, type Story, storyOf } from '../../src/scenario/from/story.ts'
import { yamlOf } from '../../src/scenario/from/yaml.ts'
import { ScenarioError, type SimulatorTarget } from '../../src/scenario/index.ts'
import { runBinary } from '../support/gateway/server.ts'
import { isLong } from '../support/long-form.ts'
import { AnswersKept } from '../support/model/answers-kept.ts'
import { MemoryShelf } from '../support/model/journals.ts'
import { CONTRACT, Machine } from '../support/model/machine.ts'
import { perform } from '../support/model/perform.ts'
import { CATALOGUES } from '../support/model/provider.ts'
import { seedOf, TEN_MINUTES } from '../support/model/runs.ts'
import { anyStep, type Step } from '../support/model/steps.ts'
import { failureOf, useStage } from '../support/scenario/stage.ts'
import { paysim, workspace } from '../support/scenario/workspace.ts'

const standard = JSON.parse(readFileSync(new URL('../../fixtures/catalogue.json', import.meta.url), 'utf8'))
const stage = useStage()

interface Told {
  readonly story: Story
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
    const story = storyOf(history)
    return { story, text: yamlOf(story), changes, kinds: new Set(steps.map(({ kind }) => kind)) }
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

const TOLD = isLong ? 200 : 3

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
  // In its long form this takes three minutes of a processor, which it may share with four others.
  3 * TEN_MINUTES,
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
  owner[last] = last === 'advance' ? shorter(before) : other(before)
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

/** A timer that is due at its end is not then. Longer, it could end at a time at which nothing happens either. */
const shorter = (duration: string) => formatDuration((parseDuration(duration) ?? 0) - 1)

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

/** A generated test of vitest, run in this one: with another `expect`, it would be another vitest. */
async function passesInVitest(code: string): Promise<void> {
  const body = code.replaceAll(/^import .*$/gm, '').replace('(name: string)', 'name')
  const closing: (() => unknown)[] = []
  const tests: (() => Promise<void>)[] = []
  const run = new Function('startSimulator', 'expect', 'onTestFinished', 'test', body)
  run(
    () => simulator(),
    expect,
    (close: () => unknown) => closing.push(close),
    (_: string, test: () => Promise<void>) => tests.push(test),
  )
  expect(tests).toHaveLength(1)
  try {
    for (const test of tests) await test()
  } finally {
    for (const close of closing) await close()
  }
}

function simulator() {
  const { controlUrl, controlToken } = stage.target() as SimulatorTarget
  return connectSimulator({ controlUrl, controlToken })
}

/** With the client that the command prints, and a simulator of its own. */
async function passesInPytest(code: string): Promise<void> {
  // The system's Python has the packages of the system, pytest among them.
  const pytest = ['/usr/bin/python3', '-m', 'pytest']
  const [program = '', ...words] = pytest
  if (spawnSync(program, [...words, '--version']).status !== 0)
    return console.warn('left out, because there is no pytest: whether the test passes in Python')
  const { folder, at } = await workspace({ 'test_story.py': code })
  expect(await paysim(['client', 'python', '--out', at('paysim.py')])).toMatchObject({ code: 0 })
  const { code: status, stdout } = await runBinary(['exec', '--', ...pytest, '-q', folder], { cwd: folder })
  expect(status, stdout).toBe(0)
}

/** The texts in a program of Python, as Python reads them. */
function textsInPython(code: string): string[] | undefined {
  const read =
    'import ast,json,sys;print(json.dumps([n.value for n in ast.walk(ast.parse(sys.stdin.buffer.read())) if isinstance(n, ast.Constant) and isinstance(n.value, str)]))'
  const { status, stdout, stderr } = spawnSync('python3', ['-c', read], { input: code, encoding: 'utf8' })
  if (status === null) return undefined
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}

test('texts of records stay what they are', async () => {
  const steps = HOSTILE.map(
    (text): Step => ({ ...order, key: undefined, reference: text, customer: { name: text } }) as Step,
  )
  const { story, text } = await told([...steps, { kind: 'payout-cancel', pick: 0, reason: undefined }])
  expect(parse(text).steps.filter((step: Json) => 'create payment' in step)).toHaveLength(HOSTILE.length)
  // Nothing looks like another line, and nothing is hidden.
  expect(text).not.toMatch(/[\u0085\u2028\u2029\ufeff\u202e\r]/)
  expect(text.split('\n').filter(line => line.startsWith('  - create payment:'))).toHaveLength(HOSTILE.length)
  const result = await stage.tell(text)
  expect(failureOf(result), text).toEqual([])

  const code = { vitest: vitestOf(story), pytest: pytestOf(story) }
  for (const program of Object.values(code)) expect(program).not.toMatch(/[\u0085\u2028\u2029\ufeff\u202e\r]/)
  await passesInVitest(code.vitest)
  const texts = textsInPython(code.pytest)
  if (texts) expect(texts).toEqual(expect.arrayContaining(HOSTILE))
  else console.warn('left out, because there is no python3: whether Python reads the texts as they are')
})

test('the command writes what was done by everybody, and what it writes passes', async () => {
  const sim = await simulator()
  onTestFinished(() => sim.stop())
  const account = await sim.createAccount({
    clock: 'virtual',
    rules: [
      { match: { nth: 2 }, outcome: { after: '1s', status: 'failed' } },
      {
        name: 'a receipt is rejected',
        match: { method: 'th_bank_transfer' },
        receipt: [{ after: '5s', verdict: 'reject', message: 'Not ${legible}' }, { verdict: 'accept' }],
        outcome: { after: '30s', status: 'succeeded' },
      },
    ],
  })
  const { client, payments, payouts, clock } = account
  const terms = { amount: '150000', currency: 'THB', country: 'TH', merchant_reference: 'order-1' } as const
  const merchant = { ...terms, checkout_mode: 'merchant', payment_method: 'th_bank_transfer' } as const
  const slip = await readFile('scenarios/receipts/slip.png')
  const transfer = await client.payments.create(
    { ...merchant, customer: { name: 'Ann' } },
    { idempotencyKey: 'a${b}' },
  )
  await client.payments.submitReceipt(transfer.id, { file: slip })
  await clock.advance('7s')
  const { id: assetId } = await account.assets.upload(slip)
  await client.payments.submitReceipt(transfer.id, { assetId })
  const hosted = await client.payments.create({ ...terms, checkout_mode: 'hosted', customer: {} })
  await payments.choose(hosted.id, { method: 'th_bank_transfer', bank: 'bbl', customer_name: 'Malee' })
  await payments.sendReceipt(hosted.id, slip)
  // The same route with other terms, so that the standard catalogue would not do.
  const asked = ({ method }: { method: string }) => method === 'th_promptpay'
  const routes = standard.routes.map((route: Json) =>
    asked(route) ? { ...route, receipt: 'required' } : route,
  )
  await account.catalogue.replace({ ...standard, routes })
  const declined = await client.payments.create({
    ...{ ...terms, checkout_mode: 'hosted', payment_method: 'th_promptpay', customer: {} },
  })
  const page = declined.next_action && 'url' in declined.next_action ? declined.next_action.url : ''
  await fetch(page, { method: 'POST', body: new URLSearchParams({ act: 'fail' }) })
  const cancelled = await client.payments.create({ ...merchant, customer: { name: 'Ann' } })
  await client.payments.cancel(cancelled.id)
  const recipient = { bank_code: 'bbl', holder_name: 'Malee', account_number: '123-456-7890' }
  const payout = await payouts.create({ ...terms, recipient, created_at: '1900-01-01T00:00:00Z' })
  const refused = await payouts.create({ ...terms, recipient })
  await clock.advance('1h')
  await payouts.approve(payout.id)
  await payouts.fail(payout.id, { failure_code: 'no_account' })
  await client.payouts.cancel(refused.id, { reason: 'wrong account' })

  const { controlUrl, controlToken } = sim
  const env = {
    PAYSIM_CONTROL_URL: controlUrl,
    PAYSIM_CONTROL_TOKEN: controlToken,
    PAYSIM_ACCOUNT: account.id,
  }
  const ids = [transfer, hosted, declined, cancelled, payout, refused].map(({ id }) => id)
  const from = (...words: string[]) => paysim(['scenario', 'from', ...words], env)
  const { stdout: text, stderr, code } = await from(...ids)
  expect(code, stderr).toBe(0)
  for (const step of [
    'payer chooses',
    'payer sends receipt',
    'payer declines',
    'upload asset',
    'cancel payout',
  ])
    expect(text).toContain(`  - ${step}: `)
  expect(text).toContain('receipt: required')
  expect(failureOf(await stage.tell(text)), text).toEqual([])
  await passesInVitest((await from(...ids, '--format', 'vitest')).stdout)
  const { stdout: python } = await from(...ids, '--format', 'pytest')
  expect(python).toContain('def test_what_was_done() -> None:\n')
  if (isLong) await passesInPytest(python)

  expect(await from('pi_1')).toMatchObject({ code: 4, stderr: expect.stringContaining('pi_1') })
  expect(await from(transfer.id, '--format', 'phpunit')).toMatchObject({ code: 2 })
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
