import { describe, expect, test } from 'vitest'
import { type Account, openAccount, rows } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { callOnWire, createOnWire, type WireAnswer } from '../../support/http/wire.ts'
import { type Fault, putFaults, sendFaults } from '../../support/provider/faults.ts'

const server = sharedServer()

const paymentsMade = async (account: Account) => (await rows(account.control('GET', '/payments'))).length

/** One create request that meets the fault: its answer, and how many payments there are. */
async function meet(fault: Fault): Promise<{ answer: WireAnswer; made: number; account: Account }> {
  const account = await openAccount(server())
  await putFaults(account, { on: 'POST /payment_intents', ...fault })
  const answer = await createOnWire(server(), account)
  return { answer, made: await paymentsMade(account), account }
}

const isAnswer = ({ status, whole, body }: WireAnswer) => {
  expect({ status, whole, type: body?.object }).toEqual({ status: 201, whole: true, type: 'payment_intent' })
}
const isStatus = ({ status, whole, body }: WireAnswer) => {
  expect({ status, whole }).toEqual({ status: 503, whole: true })
  expect(body.error.code).toMatch(/\S/)
}
const isReset = ({ status, text }: WireAnswer) =>
  expect({ status, text }).toEqual({ status: undefined, text: '' })
const isEmpty = ({ status, text, whole }: WireAnswer) =>
  expect({ status, text, whole }).toEqual({ status: 201, text: '', whole: true })
const isTruncated = ({ status, text, body, whole }: WireAnswer) => {
  expect({ status, body, whole }).toEqual({ status: 201, body: undefined, whole: false })
  expect(text).toMatch(/^\{"id":"pi_/)
}
const isGarbage = ({ text, body, whole }: WireAnswer) => {
  expect({ body, whole }).toEqual({ body: undefined, whole: true })
  expect(text).toMatch(/\S/)
}
const isDrip = (answer: WireAnswer) => {
  isAnswer(answer)
  expect(answer.ms).toBeGreaterThan(250)
}

const SLOW: Fault = { type: 'latency', delay: '300ms' }
const DRIP: Fault = { type: 'drip', delay: '400ms' }

describe('before: nothing was done', () => {
  test.each<[string, Fault, (answer: WireAnswer) => void]>([
    ['status', { type: 'status', status: 503 }, isStatus],
    ['reset', { type: 'reset' }, isReset],
  ])('%s, with `when` given or not', async (_, fault, check) => {
    for (const when of [{}, { when: 'before' }]) {
      const { answer, made } = await meet({ ...fault, ...when })
      check(answer)
      expect(made).toBe(0)
    }
  })

  // Before the work there is no body to damage, so such a fault is a mistake and is refused.
  test.each(['empty', 'garbage', 'truncate'])(
    '%s, with `when` given or not, unless the fault is refused',
    async type => {
      for (const when of [{}, { when: 'before' }]) {
        const account = await openAccount(server())
        const answer = await sendFaults(account, [{ on: 'POST /payment_intents', type, ...when }])
        if (answer.status !== 200) expectError(answer, 400, 'validation_failed')
        else expect((await createOnWire(server(), account)).body).toBeUndefined()
        expect(await paymentsMade(account)).toBe(0)
      }
    },
  )

  test('except drip, which slows down a real answer', async () => {
    const { answer, made, account } = await meet(DRIP)
    isDrip(answer)
    expect(made).toBe(1)
    expect((await account.call('GET', `/payment_intents/${answer.body.id}`)).body).toEqual(answer.body)
  })

  test('but for a read, the real answer is damaged', async () => {
    const account = await openAccount(server())
    const { text } = await account.call('GET', '/payout_intents')
    for (const [type, check] of [
      ['empty', (answer: WireAnswer) => expect(answer.text).toBe('')],
      [
        'truncate',
        (answer: WireAnswer) => expect(text.startsWith(answer.text) && answer.text !== '').toBe(true),
      ],
      ['garbage', (answer: WireAnswer) => expect(answer.body).toBeUndefined()],
    ] as const) {
      await putFaults(account, { on: 'GET /payout_intents', type })
      const answer = await callOnWire(server(), account, 'GET', '/payout_intents')
      expect(answer.status).toBe(200)
      check(answer)
    }
  })

  test('and so is the refusal of a read', async () => {
    const account = await openAccount(server())
    await putFaults(account, { on: 'GET /payment_intents/:id', type: 'empty' })
    const answer = await callOnWire(server(), account, 'GET', '/payment_intents/pi_unknown')
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: '' })
  })
})

describe('after_commit: the work is done, and only the answer is affected', () => {
  test.each<[string, Fault, (answer: WireAnswer) => void]>([
    ['latency', SLOW, isAnswer],
    ['status', { type: 'status', status: 503 }, isStatus],
    ['reset', { type: 'reset' }, isReset],
    ['empty', { type: 'empty' }, isEmpty],
    ['truncate', { type: 'truncate' }, isTruncated],
    ['garbage', { type: 'garbage' }, isGarbage],
    ['drip', DRIP, isDrip],
  ])('%s', async (_, fault, check) => {
    const { answer, made } = await meet({ ...fault, when: 'after_commit' })
    check(answer)
    expect(made).toBe(1)
  })

  test('the next call gets a normal answer', async () => {
    for (const fault of [{ type: 'reset' }, { type: 'truncate' }, { type: 'garbage' }]) {
      const { account } = await meet({ ...fault, when: 'after_commit', times: 1 })
      isAnswer(await createOnWire(server(), account))
    }
  })

  test('a refusal can be lost too', async () => {
    const account = await openAccount(server())
    await putFaults(account, { on: 'POST /payment_intents', type: 'empty', when: 'after_commit' })
    const answer = await createOnWire(server(), account, undefined, { amount: '0' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 400, text: '' })
  })
})

describe('slow answers', () => {
  const payload = async (fault: Fault) => {
    const account = await openAccount(server(), { clock: undefined })
    const clock = async () => Date.parse((await account.control('GET', '/clock')).body.now)
    await putFaults(account, { on: 'POST /payment_intents', ...fault })
    const asked = await clock()
    const { body } = await createOnWire(server(), account)
    return {
      waited: Date.parse(body.created_at) - asked,
      held: (await clock()) - Date.parse(body.created_at),
    }
  }

  test('before: the work is done after the wait', async () => {
    expect((await payload(SLOW)).waited).toBeGreaterThanOrEqual(298)
  })

  test('after_commit: the work is done, and then the answer waits', async () => {
    expect((await payload({ ...SLOW, when: 'after_commit' })).held).toBeGreaterThanOrEqual(298)
  })

  test('a slow call does not delay others', async () => {
    const account = await openAccount(server())
    await putFaults(account, { on: 'GET /payout_intents', type: 'latency', delay: '5s' })
    const slow = callOnWire(server(), account, 'GET', '/payout_intents').then(() => 'slow')
    const quick = createOnWire(server(), account).then(() => 'quick')
    expect(await Promise.race([slow, quick])).toBe('quick')
  })

  test.each<[string, unknown, number]>([
    ['fixed', '150ms', 148],
    ['between two', { min: '150ms', max: '400ms' }, 148],
    ['mostly short', { p50: '40ms', p99: '400ms' }, 1],
  ])('%s: no answer comes before the delay', async (_, delay, least) => {
    const account = await openAccount(server(), { seed: 7 })
    await putFaults(account, { on: 'GET /payout_intents', type: 'latency', delay })
    const answer = await Promise.all(
      Array.from({ length: 8 }, () => callOnWire(server(), account, 'GET', '/payout_intents')),
    )
    for (const { ms, status } of answer) {
      expect(status).toBe(200)
      expect(ms).toBeGreaterThanOrEqual(least)
    }
  })

  test('a dripping answer comes in pieces', async () => {
    const account = await openAccount(server())
    await putFaults(account, { on: 'GET /payout_intents', ...DRIP })
    // A busy reader may find them all at once.
    await expect
      .poll(async () => (await callOnWire(server(), account, 'GET', '/payout_intents')).pieces)
      .toBeGreaterThan(2)
  })

  test('a delay range makes answers take different times', async () => {
    const account = await openAccount(server(), { seed: 7 })
    await putFaults(account, {
      on: 'GET /payout_intents',
      type: 'latency',
      delay: { min: '0ms', max: '900ms' },
    })
    const took: number[] = []
    // What a busy machine adds to each of a few calls may hide the spread, but not for long.
    await expect
      .poll(async () => {
        took.push((await callOnWire(server(), account, 'GET', '/payout_intents')).ms)
        return Math.max(...took) / Math.min(...took)
      })
      .toBeGreaterThan(2)
  })
})

describe('a fault with a status', () => {
  const answerTo = (fault: Fault) => meet({ type: 'status', ...fault }).then(({ answer }) => answer)

  test('uses the error shape of the API if no body is given', async () => {
    for (const [status, code] of [
      [429, 'rate_limited'],
      [503, 'service_unavailable'],
      [500, 'internal_error'],
    ] as const) {
      const { body, headers, ...answer } = await answerTo({ status })
      expect({ status: answer.status, code: body.error.code }).toEqual({ status, code })
      expect(body.error.request_id).toBe(headers['request-id'])
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  test.each([400, 404, 418, 502, 599])('answers with status %i', async status => {
    expect((await answerTo({ status })).status).toBe(status)
  })

  test.each([
    ['2s', '2'],
    ['1m', '60'],
    ['1500ms', '2'],
    ['0s', '0'],
  ])('sends a retry_after of %s as %s seconds', async (retry_after, seconds) => {
    expect((await answerTo({ status: 429, retry_after })).headers['retry-after']).toBe(seconds)
  })

  test('sends no Retry-After unless one is given', async () => {
    expect((await answerTo({ status: 429 })).headers['retry-after']).toBeUndefined()
  })

  test.each([[{ oops: ['ไทย', 1, null] }], [[]], [null], [0]])('sends the body %j as JSON', async body => {
    const answer = await answerTo({ status: 500, body })
    expect(answer.body).toEqual(body)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
  })

  test('sends a text body unchanged', async () => {
    expect((await answerTo({ status: 502, body: '<h1>Bad gateway</h1>' })).text).toBe('<h1>Bad gateway</h1>')
  })
})
