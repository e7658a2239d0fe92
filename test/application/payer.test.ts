import { describe, expect, test } from 'vitest'
import { ArmedDisturbances, type DisturbanceKind } from '../../src/application/disturbance.ts'
import { Payer, type RecordedVisit, shownAnswer } from '../../src/application/payer.ts'
import type { ApplicationRequest } from '../../src/application/request-once.ts'
import { noAnswer, type ReceivedAnswer } from '../../src/contract/wire-answer.ts'

const SHOP = 'http://127.0.0.1:4711'
const BACK = { url: `${SHOP}/back?order=1#top`, headers: { cookie: 'session=1', 'x-test': 'yes' } }

const answer = (status: number, headers: Record<string, string> = {}): ReceivedAnswer => ({
  status,
  headers,
  text: String(status),
  body: status,
})

/** A payer of a shop that answers like this, with these disturbances. */
function payerOf(
  answers: (request: ApplicationRequest, nth: number) => ReceivedAnswer | Promise<ReceivedAnswer>,
  ...kinds: DisturbanceKind[]
) {
  const asked: ApplicationRequest[] = []
  const blamed: RecordedVisit[] = []
  const disturbances = new ArmedDisturbances()
  for (const kind of kinds) disturbances.arm({ kind })
  const payer = new Payer({
    shop: () => SHOP,
    ask: async request => {
      asked.push(request)
      return answers(request, asked.length)
    },
    wayBackOf: async payment => (payment === 'pi_none' ? undefined : BACK),
    disturbances,
    step: () => 3,
    judge: visit => blamed.push({ ...visit }),
  })
  const requests = () => asked.map(({ method, path }) => `${method} ${path}`)
  return { payer, disturbances, asked, blamed, requests }
}

test('the browser opens the page as it is given, with the cookies of the step', async () => {
  const { payer, asked, requests } = payerOf(() => answer(200))
  expect((await payer.returns('pi_1', BACK))?.status).toBe(200)
  expect(requests()).toEqual(['GET /back?order=1'])
  expect(asked[0]?.headers).toMatchObject({ cookie: 'session=1', 'x-test': 'yes' })
  expect(payer.visits).toMatchObject([{ what: 'return', payment: 'pi_1', step: 3, status: 200 }])
})

test('it follows redirects within the application, and keeps the cookies that it gets', async () => {
  const { payer, asked, requests } = payerOf(({ path }) => {
    if (path.startsWith('/back'))
      return answer(302, {
        location: 'http://localhost:4711/a',
        'set-cookie': 'x=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT, y=2; Path=/',
      })
    return path === '/a' ? answer(303, { location: 'b?c=1' }) : answer(200)
  })
  expect((await payer.returns('pi_1', BACK))?.status).toBe(200)
  expect(requests()).toEqual(['GET /back?order=1', 'GET /a', 'GET /b?c=1'])
  expect(asked.map(({ headers }) => headers.cookie)).toEqual([
    'session=1',
    'session=1; x=1; y=2',
    'session=1; x=1; y=2',
  ])
  expect(payer.visits.map(({ isRedirect }) => isRedirect ?? false)).toEqual([false, true, true])
})

test.each([
  'https://127.0.0.1:4711/a',
  'http://127.0.0.1:4712/a',
  'http://example.com:4711/a',
  'http://127.0.0.1:4711@example.com/',
  'javascript:alert(1)',
  'http://[',
])('it does not follow a redirect to %s', async location => {
  const { payer, requests } = payerOf(() => answer(302, { location }))
  expect((await payer.returns('pi_1', BACK))?.status).toBe(302)
  expect(requests()).toEqual(['GET /back?order=1'])
  expect(payer.whyNot(location)).toContain('is not an address of the application')
})

test('a circle of redirects ends', async () => {
  const { payer, requests } = payerOf(() => answer(302, { location: '/back' }))
  expect((await payer.returns('pi_1', BACK))?.status).toBe(302)
  expect(requests()).toHaveLength(21)
})

describe('a disturbed return', () => {
  test('never happens', async () => {
    const { payer, requests } = payerOf(() => answer(200), 'return-never')
    expect(await payer.returns('pi_1', BACK)).toBeUndefined()
    expect(requests()).toEqual([])
    expect((await payer.returns('pi_1', BACK))?.status).toBe(200)
  })

  test('is repeated, and the first answer counts', async () => {
    const { payer, requests } = payerOf((_, nth) => answer(nth === 1 ? 200 : 410), 'return-twice')
    expect((await payer.returns('pi_1', BACK))?.status).toBe(200)
    expect(requests()).toEqual(['GET /back?order=1', 'GET /back?order=1'])
  })

  test('comes after a look ahead without cookies', async () => {
    const { payer, asked, requests } = payerOf(() => answer(200), 'return-prefetch')
    await payer.returns('pi_1', BACK)
    expect(requests()).toEqual(['HEAD /back?order=1', 'GET /back?order=1', 'GET /back?order=1'])
    expect(asked.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, 'session=1'])
    expect(asked.map(({ headers }) => headers['x-test'])).toEqual(['yes', 'yes', 'yes'])
  })

  test('is not repeated in its step if the payer was there before', async () => {
    const { payer, requests } = payerOf((_, nth) => answer(200 + nth))
    await payer.comesBack('pi_1')
    await payer.comesBack('pi_none')
    expect((await payer.returns('pi_1', BACK))?.status).toBe(201)
    expect((await payer.returns('pi_1', BACK))?.status).toBe(202)
    expect(requests()).toHaveLength(2)
  })

  test('is one more if the payer was there in an earlier step', async () => {
    const { payer, requests } = payerOf((_, nth) => answer(200 + nth))
    await payer.returns('pi_1', BACK)
    await payer.comesBack('pi_1')
    expect((await payer.returns('pi_1', BACK))?.status).toBe(203)
    expect(requests()).toHaveLength(3)
  })
})

test('what the application must answer is judged, and a server need not know HEAD', async () => {
  const judged = async (statuses: readonly number[]) => {
    const { payer, blamed } = payerOf((_, nth) => {
      const status = statuses[nth - 1] ?? 200
      return status === 0 ? noAnswer('the connection was closed') : answer(status)
    }, 'return-prefetch')
    await payer.returns('pi_1', BACK)
    return blamed.filter(({ status }) => status === 0 || status >= 500).map(({ request }) => request)
  }
  expect(await judged([200, 200, 200])).toEqual([])
  expect(await judged([501, 403, 200])).toEqual([])
  expect(await judged([0, 401, 302])).toEqual([])
  expect(await judged([500, 200, 503])).toEqual(['HEAD /back?order=1', 'GET /back?order=1'])
  expect(await judged([200, 0, 200])).toEqual(['GET /back?order=1'])
})

describe('a button', () => {
  const isCreated = ({ status }: ReceivedAnswer) => status === 201

  test('is pressed once', async () => {
    const { payer, blamed } = payerOf(() => answer(500))
    expect(await payer.presses('POST /orders', async () => answer(500), isCreated)).toHaveLength(1)
    expect(blamed).toEqual([])
  })

  test('is pressed twice in the same moment', async () => {
    const { payer, blamed } = payerOf(() => answer(200), 'click-twice')
    let waiting = 0
    let begin = () => {}
    const both = new Promise<void>(resolve => {
      begin = resolve
    })
    const answers = await payer.presses(
      'POST /orders',
      async () => {
        if (++waiting === 2) begin()
        await both
        return answer(waiting++ === 2 ? 409 : 201)
      },
      isCreated,
    )
    expect(answers.map(({ status }) => status)).toEqual([409, 201])
    expect(shownAnswer(answers, isCreated).status).toBe(201)
    expect(blamed.map(({ status }) => status)).toEqual([409])
  })

  test('is pressed again only after its answer', async () => {
    const { payer } = payerOf(() => answer(200), 'click-again')
    let isUnderWay = false
    const answers = await payer.presses(
      'POST /orders',
      async () => {
        expect(isUnderWay).toBe(false)
        isUnderWay = true
        await new Promise(setImmediate)
        isUnderWay = false
        return answer(201)
      },
      isCreated,
    )
    expect(answers).toHaveLength(2)
    expect(payer.visits.map(({ what, request }) => `${what} ${request}`)).toEqual([
      'click POST /orders',
      'click POST /orders',
    ])
  })
})

test('a customer whom the gateway kept from paying presses again when it is back, unless the press was served', async () => {
  const pressedWhile = async (...statuses: number[]) => {
    const { payer, disturbances } = payerOf(() => answer(200))
    disturbances.arm({ kind: 'call-outage', call: 'POST /payment_intents' })
    expect(disturbances.ofCall('POST /payment_intents')).toHaveLength(1)
    // Everything fails now, not only this call.
    expect(disturbances.ofCall('GET /payment_intents/:id')).toHaveLength(1)
    const send = async () => answer(statuses.shift() ?? 0)
    const answers = await payer.presses('POST /orders', send, ({ status }) => status === 201)
    expect(disturbances.ofCall('POST /payment_intents')).toEqual([])
    return answers.map(({ status }) => status)
  }
  expect(await pressedWhile(502, 201)).toEqual([201, 502])
  expect(await pressedWhile(201)).toEqual([201])
})
