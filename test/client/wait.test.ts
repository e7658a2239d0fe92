import { describe, expect, test } from 'vitest'
import { ApiError, ConnectError, WaitTimeoutError } from '../../src/client/index.ts'
import { clientFor, PAYMENT, refusal } from '../support/client/client.ts'
import { closedPort, json, nestedError, type Respond, serve } from '../support/client/server.ts'

/** A client whose pauses move its clock, and a server that gives one answer after the other, the last for ever. */
async function following(...answers: (string | Respond)[]) {
  const server = await serve((response, seen, count) => {
    const answer = answers[Math.min(count, answers.length) - 1] ?? 'pending'
    if (typeof answer === 'string') json(response, { ...PAYMENT, status: answer })
    else answer(response, seen, count)
  })
  return { server, ...timed(server.url) }
}

function timed(url: string) {
  let time = 1000
  const pauses: number[] = []
  const client = clientFor(url, {
    now: () => time,
    sleep: async milliseconds => {
      pauses.push(milliseconds)
      time += milliseconds
    },
  })
  return { client, pauses }
}

describe('waiting', () => {
  test.each(['succeeded', 'failed', 'expired'])('ends with %s', async status => {
    const { client, server } = await following('pending', 'processing', 'pending', status)
    expect((await client.payments.wait('pi_1')).status).toBe(status)
    expect(server.seen).toHaveLength(4)
  })

  test('ends at once when the payment has ended, without a pause', async () => {
    const { client, pauses } = await following('succeeded')
    const answer = await client.payments.wait('pi_1', { timeoutMs: 0 }).answer()
    expect(answer.body.status).toBe('succeeded')
    expect(pauses).toEqual([])
  })

  test.each([['processing'], [['processing', 'requires_moon']]])(
    'ends at a requested status: %j',
    async until => {
      const { client, server } = await following('pending', 'processing', 'succeeded')
      expect((await client.payments.wait('pi_1', { until })).status).toBe('processing')
      expect(server.seen).toHaveLength(2)
    },
  )

  test('ends with a final status that was not requested, because nothing comes after it', async () => {
    const { client } = await following('pending', 'failed')
    expect((await client.payments.wait('pi_1', { until: 'succeeded' })).status).toBe('failed')
  })

  test('continues through an unknown status', async () => {
    const { client } = await following('on_the_moon', 'succeeded')
    expect((await client.payments.wait('pi_1')).status).toBe('succeeded')
  })

  test('reports each new state once', async () => {
    const { client } = await following('pending', 'pending', 'processing', 'processing', 'succeeded')
    const told: string[] = []
    await client.payments.wait('pi_1', { onUpdate: ({ status }) => told.push(status) })
    expect(told).toEqual(['pending', 'processing', 'succeeded'])
  })

  test('pauses longer and longer, up to a bound', async () => {
    const { client, pauses } = await following(...Array<string>(9).fill('pending'), 'succeeded')
    await client.payments.wait('pi_1')
    expect(pauses).toEqual([500, 750, 1125, 1687.5, 2531.25, 3796.875, 5000, 5000, 5000])
  })

  test('times out after a last look, and keeps what it saw', async () => {
    const { client, pauses, server } = await following('pending')
    const error = await refusal(client.payments.wait('pi_1', { timeoutMs: 2000 }), WaitTimeoutError)
    expect(error.message).toContain('pi_1 was still pending')
    expect(error.answer.body).toMatchObject({ id: 'pi_1', status: 'pending' })
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(2000)
    expect(server.seen).toHaveLength(pauses.length + 1)
  })

  test('honours Retry-After, on an answer and on a refusal', async () => {
    const busy: Respond = r => json(r, nestedError('rate_limited'), 429, { 'retry-after': '9' })
    const slow: Respond = r => json(r, PAYMENT, 200, { 'retry-after': '20' })
    const { client, pauses } = await following(slow, busy, busy, busy, busy, 'succeeded')
    await client.payments.wait('pi_1')
    expect(pauses[0]).toBe(20_000)
    expect(pauses.slice(1).every(pause => pause >= 9000)).toBe(true)
  })

  test('outlasts a server that is busy for longer than the retries of one call', async () => {
    const busy: Respond = r => json(r, nestedError('service_unavailable'), 503)
    const { client, server } = await following(...Array<Respond>(20).fill(busy), 'succeeded')
    expect((await client.payments.wait('pi_1')).status).toBe('succeeded')
    expect(server.seen).toHaveLength(21)
  })

  test('fails with the refusal when the server stays busy', async () => {
    const { client } = await following(r => json(r, nestedError('service_unavailable'), 503))
    await refusal(client.payments.wait('pi_1', { timeoutMs: 20_000 }), ApiError)
  })

  test('fails with any other error at once', async () => {
    const { client, pauses } = await following(r => json(r, nestedError('not_found'), 404))
    expect((await refusal(client.payments.wait('pi_1'), ApiError)).code).toBe('not_found')
    expect(pauses).toEqual([])
    const alone = timed(`http://127.0.0.1:${await closedPort()}`)
    await refusal(alone.client.payments.wait('pi_1'), ConnectError)
  })

  test('ends when it is aborted', async () => {
    const ending = new AbortController()
    const { client } = await following('pending', r => {
      ending.abort(new Error('enough'))
      json(r, PAYMENT)
    })
    await expect(client.payments.wait('pi_1', { signal: ending.signal })).rejects.toThrow('enough')
  })
})
