import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { ApplicationRun } from '../../src/application/application-run.ts'
import type { RecordedCall } from '../../src/application/gateway-proxy.ts'
import { shortLivedConnections } from '../../src/application/request-once.ts'
import { posted } from '../../src/application/webhook-variants.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes long').toString('base64')}`
const EVENT = {
  id: 'evt_1',
  type: 'payment.failed',
  timestamp: '2030-01-01T00:00:00Z',
  environment: 'test',
  data: {},
}

/** A run whose application answers webhooks in this way. */
async function runWith(
  answer: RequestListener,
  look: () => Promise<string[] | undefined> = async () => [],
): Promise<ApplicationRun> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  const dispatcher = shortLivedConnections()
  onTestFinished(async () => {
    await dispatcher.destroy()
    server.close()
  })
  await once(server, 'listening')
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return new ApplicationRun(
    {
      url: webhookUrl,
      webhookUrl,
      dispatcher,
      unexpectedEnd: undefined,
      ask: () => new Promise(() => {}),
      restart: () => new Promise(() => {}),
    },
    {
      secret: SECRET,
      contract: resolveContract(),
      fireDueTimers: async () => {},
      look,
    },
  )
}

const closes: RequestListener = request => void request.socket.destroy()
const disturbedCall: RecordedCall = {
  operation: 'GET /payment_intents/:id',
  method: 'GET',
  path: '/payment_intents/pi_1',
  headers: [],
  body: '',
  step: 0,
  startedAt: 0,
  disturbed: 'call-503',
}

test('an application that closes the connection instead of answering a valid webhook is blamed', async () => {
  const run = await runWith(closes)
  await run.take(posted(EVENT, SECRET))
  const [violation] = run.violations
  expect(violation?.what).toBe('error answer')
  expect(violation?.message).toBe(
    'it did not answer a valid webhook payment.failed: the connection was closed',
  )
})

test('an application that was restarted, or whose own call was disturbed, is not blamed', async () => {
  const calling = await runWith(closes)
  calling.calls.push(disturbedCall)
  await calling.take(posted(EVENT, SECRET))
  expect(calling.violations).toEqual([])

  const restarted = await runWith((request, response) => {
    void restarted.restart()
    closes(request, response)
  })
  await restarted.take(posted(EVENT, SECRET))
  expect(restarted.violations).toEqual([])
})

test('a restart repeats each accepted event of the last step once; all must be accepted again', async () => {
  const got: string[] = []
  const run = await runWith((request, response) => {
    const id = String(request.headers['webhook-id'])
    const isRefused = id === 'evt_3' || got.filter(one => one === id).length > 0
    got.push(id)
    response.writeHead(isRefused ? 500 : 200).end()
  })
  const send = (id: string, type: string) => run.take(posted({ ...EVENT, id, type }, SECRET))
  await send('evt_1', 'payment.succeeded')
  run.step = 1
  await send('evt_2', 'payment.succeeded')
  await send('evt_3', 'payment.succeeded')
  await send('evt_4', 'payment.failed')
  got.length = 0
  run.violations.length = 0
  expect(await run.sendAgain('payment.succeeded')).toBe(1)
  expect(got).toEqual(['evt_2'])
  expect(run.violations).toEqual([])
  expect(await run.sendAgain('payment.succeeded')).toBe(1)
  expect(run.violations.map(({ what }) => what)).toEqual(['error answer'])
  expect(await run.sendAgain('payment.expired')).toBe(0)
})

test('an event of an unknown type comes before the event, after it, or both', async () => {
  const got: string[] = []
  const run = await runWith(async (request, response) => {
    const { type } = JSON.parse(await text(request))
    got.push(type)
    response.end()
  })
  run.disturbances.arm({ kind: 'webhook-unknown-type', event: 'payment.failed' })
  await run.take(posted(EVENT, SECRET))
  expect(got.splice(0)).toEqual(['payment.review_started', 'payment.failed', 'payment.review_started'])
  run.disturbances.arm({ kind: 'webhook-unknown-type', event: 'payment.failed', when: 'after' })
  await run.take(posted({ ...EVENT, id: 'evt_2' }, SECRET))
  expect(got).toEqual(['payment.failed', 'payment.review_started'])
})

test('an answer that is not well-formed HTTP is described in words', async () => {
  const run = await runWith(({ socket }) => void socket.end('HTTP/1.1 204 -\r\ncontent-length: 2\r\n\r\n{}'))
  await run.take(posted(EVENT, SECRET))
  expect(run.violations[0]?.message).toContain('its body is not as long as its content-length says')
})

/** A run with a forgery before the true event, and what it says of an application whose state is each of these in turn. */
async function afterForgery(states: readonly (readonly string[])[]) {
  const left = [...states]
  const look = async () => [...((left.length > 1 ? left.shift() : left[0]) ?? [])]
  const run = await runWith((_, response) => response.end(), look)
  run.disturbances.arm({ kind: 'webhook-unsigned', event: EVENT.type, when: 'before' })
  await run.take(posted(EVENT, SECRET))
  return { run, left, violations: () => run.violations.map(({ what }) => what) }
}

test('a state that a forgery brought about is blamed if the true event changes it', async () => {
  const believes = [['status is "pending"'], ['status is "failed"'], ['status is "failed"'], []]
  expect((await afterForgery(believes)).violations()).toEqual(['forgery believed'])
})

test('a state that the truth explains is blamed only if it is wrong at the end of the story', async () => {
  const knocks = [['status is "pending"'], ['status is "checked"'], ['status is "failed"']]
  const { run, left, violations } = await afterForgery(knocks)
  expect(violations()).toEqual([])
  await run.recordBelieved()
  expect(violations()).toEqual(['forgery believed'])
  const right = await afterForgery(knocks)
  right.left.splice(0, 1, [])
  await right.run.recordBelieved()
  expect([left.length, right.violations()]).toEqual([1, []])
})
