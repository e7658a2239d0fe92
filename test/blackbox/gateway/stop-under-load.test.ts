import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openAccount, rows } from '../../support/gateway/merchant.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { paymentBody } from '../../support/payments/payments.ts'

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
