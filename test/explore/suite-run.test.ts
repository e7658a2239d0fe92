import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { DisturbanceKind } from '../../src/application/disturbance.ts'
import { posted } from '../../src/application/webhook-variants.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { verdictOf } from '../../src/explore/explore.ts'
import { exploreText } from '../../src/explore/report.ts'
import { exploreSuite, type RunSuite } from '../../src/explore/suite.ts'
import type { SuiteRun } from '../../src/explore/suite-run.ts'

const ACCOUNT = 'default.test'
const SECRET = `whsec_${Buffer.from('the secret of the account').toString('base64')}`
const EVENT = {
  id: 'evt_1',
  type: 'payment.succeeded',
  timestamp: '2030-01-01T00:00:00Z',
  environment: 'test',
  data: { id: 'pi_1', merchant_reference: 'tea' },
}
const WEBHOOK = {
  account: ACCOUNT,
  secret: SECRET,
  url: 'http://shop.test/webhooks',
  ...posted(EVENT, SECRET),
}
const OK = { status: 200, retryAfter: undefined, body: '' }

const explored = (kind: DisturbanceKind, runSuite: RunSuite) =>
  exploreSuite({
    ...{ command: ['test'], tolerate: false, seed: 1, jobs: 1, retries: 9, slow: '2s' },
    ...{ kinds: [kind], runSuite },
  })

/** Explores a test command that fails over some of the races between two copies of an event, one after the other. */
async function racing(fails: readonly boolean[]) {
  const left = [...fails]
  const { findings, attempts, counts } = await explored('webhook-twice-at-once', async run => {
    let underWay = 0
    let isRace = false
    await run.relay(WEBHOOK, async () => {
      underWay += 1
      await undefined
      isRace ||= underWay === 2
      underWay -= 1
      return OK
    })
    return { status: isRace && left.shift() ? 1 : 0, output: [] }
  })
  const found = findings.map(({ failed, of }) => `${failed} of ${of}`)
  return { found, outcomes: attempts.map(({ outcome }) => outcome), counts, left }
}

test('a race that a program survives is tried again, because it may have been lucky', async () => {
  expect(await racing([false, false, true, true, true, true])).toMatchObject({
    found: ['3 of 3'],
    outcomes: ['survived', 'survived', 'failed'],
    counts: [{ places: 1, tried: 1, failed: 1 }],
  })
  expect(await racing([])).toMatchObject({
    found: [],
    outcomes: ['survived', 'survived', 'survived'],
    counts: [{ places: 1, tried: 1, failed: 0, notJudged: 0 }],
  })
})

test('a race that is lost again only once is repeated more often', async () => {
  expect(await racing([true, false, true, false, true])).toMatchObject({ found: ['2 of 4'], left: [] })
  const once = [true, false, true, false, false, false, false]
  expect(await racing(once)).toMatchObject({ found: [], outcomes: ['not judged'], left: [] })
})

/** Explores with an event that comes when the due timers are fired, with the call itself as on a real clock, or later. */
async function withEvent(comes: 'at once' | 'by itself' | 'later') {
  const orders: string[] = []
  const exploration = await explored('webhook-early', async run => {
    const seen: string[] = []
    const deliver = async () => {
      if (!seen.includes('event'))
        await run.relay(WEBHOOK, async () => {
          seen.push('event')
          return OK
        })
    }
    await createPayment(run, {
      onCall: () => void (comes === 'by itself' && setTimeout(deliver, 50)),
      fireDueTimers: async () => {
        if (comes === 'by itself') throw new Error('The clock of this account is real')
        if (comes === 'at once') await deliver()
      },
    })
    seen.push('answer')
    await deliver()
    orders.push(seen.join(' '))
    return { status: 0, output: [] }
  })
  return { exploration, disturbed: orders.at(-1) }
}

interface Gateway {
  readonly onCall: () => void
  readonly fireDueTimers: () => Promise<void>
}

/** Makes a payment through the proxy of a run, at a gateway that knows only that. */
async function createPayment(run: SuiteRun, { onCall, fireDueTimers }: Gateway): Promise<void> {
  const server = createServer((_, response) => {
    onCall()
    response.writeHead(201).end(JSON.stringify(EVENT.data))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const proxy = await run.open({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    contract: resolveContract(),
    accounts: async () => [{ id: ACCOUNT, authorizations: ['Basic keys'] }],
    fireDueTimers,
  })
  const headers = { authorization: 'Basic keys' }
  const body = JSON.stringify({ merchant_reference: 'tea' })
  const { status } = await fetch(`${proxy}/payment_intents`, { method: 'POST', headers, body })
  expect(status).toBe(201)
}

test.each(['at once', 'by itself'] as const)(
  'the first event of an account that comes %s comes before the answer to its call',
  async comes => {
    const { exploration, disturbed } = await withEvent(comes)
    expect(disturbed).toBe('event answer')
    expect(exploration.counts).toMatchObject([{ tried: 1, notMet: 0, failed: 0 }])
    expect(verdictOf(exploration)).toBe('survived')
  },
)

test('a kind whose event is nowhere due at once did not happen, and is survived by nobody', async () => {
  const { exploration, disturbed } = await withEvent('later')
  expect(disturbed).toBe('answer event')
  expect(exploration.counts).toMatchObject([{ tried: 1, notMet: 1 }])
  expect(verdictOf(exploration)).toBe('not all tried')
  const text = exploreText({ exploration, saved: [] })
  expect(text).toContain('This command has no place for webhook-early.')
  expect(text).toContain('Nothing was disturbed.')
  expect(text).not.toMatch(/✓ webhook-early|survived/)
})
