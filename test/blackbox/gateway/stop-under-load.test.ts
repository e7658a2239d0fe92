import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { type Account, openAccount, rows } from '../../support/gateway/merchant.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { createTransfer, paymentBody } from '../../support/payments/payments.ts'

const LOOPS = 16

test('a stop under load refuses new requests and answers every request that it executed', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  const call = server.as(account.keys)
  const paid: string[] = []
  let refusedAt = Number.POSITIVE_INFINITY
  let begun = 0
  let stopping: Promise<number | null> | undefined
  const lateAnswers: number[] = []
  const loop = async () => {
    for (;;) {
      const place = begun++
      const answer = await call('POST', '/payment_intents', { body: paymentBody() }).catch(() => undefined)
      if (answer?.status === 201) {
        paid.push(answer.body.id)
        if (place > refusedAt) lateAnswers.push(place)
      } else {
        if (answer)
          expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } })
        return
      }
      if (paid.length >= 10 * LOOPS && !stopping) {
        stopping = server.stop()
        refusesConnections(server.url).then(() => {
          refusedAt = begun
        })
      }
    }
  }
  await Promise.all(Array.from({ length: LOOPS }, loop))
  expect(await stopping).toBe(0)
  expect(lateAnswers).toEqual([])
  const again = await ownServer({ dataDir: server.dataDir })
  const kept = await rows(again.control('GET', `/accounts/${account.id}/payments`))
  expect(kept.map(({ id }) => id).sort()).toEqual(paid.sort())
})

/** Resolves once the server takes no new connection: what is begun later was begun after the stop. */
async function refusesConnections(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const taken = await new Promise(resolve => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (!taken) return
  }
}

test('an open event stream does not delay a stop', async () => {
  const server = await ownServer()
  const { controlUrl, controlToken } = server
  const stream = request(`${controlUrl}/accounts/default.test/stream`, {
    headers: { authorization: `Bearer ${controlToken}` },
  })
  const ended = new Promise<string>(resolve =>
    stream
      .once('response', response => response.once('end', () => resolve('ended whole')).resume())
      .once('error', () => resolve('cut'))
      .end(),
  )
  await new Promise(resolve => stream.once('response', resolve))
  expect(await server.stop()).toBe(0)
  expect(await ended).toBe('ended whole')
})

/** A request whose body never ends. Resolves, once the server has its head, with what becomes of it. */
async function unfinished(url: string, method: string, headers: Record<string, string>, begun: string) {
  // The server says that it waits for the body.
  const sent = request(url, { method, headers: { ...headers, expect: '100-continue' } })
  const answer = new Promise<number | undefined>(resolve =>
    sent
      .once('response', ({ statusCode }) => resolve(statusCode))
      .once('error', () => resolve(undefined))
      .once('close', () => resolve(undefined)),
  )
  await new Promise(resolve => {
    sent.once('continue', resolve)
    sent.flushHeaders()
  })
  sent.write(begun)
  return { answer }
}

test('an upload and an import that never end do not delay a stop, and change nothing', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  const { id } = await createTransfer(account)
  const state = async ({ control }: Pick<typeof server, 'control'>, { id: of }: Pick<Account, 'id'>) =>
    Promise.all(
      [`payments/${id}`, 'export'].map(async what => (await control('GET', `/accounts/${of}/${what}`)).text),
    )
  const before = await state(server, account)
  const { public_key, secret_key } = account.keys
  const basic = Buffer.from(`${public_key}:${secret_key}`).toString('base64')
  const upload = await unfinished(
    `${server.url}/payment_intents/${id}/receipt`,
    'POST',
    { authorization: `Basic ${basic}`, 'content-type': 'multipart/form-data; boundary=b' },
    '--b\r\ncontent-disposition: form-data; name="receipt"; filename="a.png"\r\n\r\n\x89PNG',
  )
  const archive = await unfinished(
    `${server.controlUrl}/accounts/${account.id}/import`,
    'PUT',
    { authorization: `Bearer ${server.controlToken}`, 'content-type': 'application/json' },
    '{"paysim":1,"account":"a","seed":"s","images":{},"entries":[',
  )
  expect(await server.stop()).toBe(0)
  for (const { answer } of [upload, archive]) expect([undefined, 503]).toContain(await answer)
  const again = await ownServer({ dataDir: server.dataDir })
  expect(await state(again, account)).toEqual(before)
})
