import { expect, test } from 'vitest'
import { type AccountKeys, runBinary, type Server } from '../../support/gateway/server.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'

const forgetful = () => ownServer({ args: ['--ephemeral', '--forget-accounts', '1s'] })

const merchantsOf = async ({ control }: Server): Promise<string[]> =>
  (await control('GET', '/merchants')).body.data.map(({ id }: { id: string }) => id)

const isGone = (server: Server, merchant: string) =>
  expect.poll(() => merchantsOf(server)).not.toContain(merchant)

/** An open stream of an account, which keeps its merchant; it is made anew if it came too late for the first one. */
async function watchedMerchant(server: Server) {
  for (;;) {
    const { id, test } = await server.merchant()
    const leaving = new AbortController()
    const response = await fetch(`${server.controlUrl}/accounts/${test.id}/stream`, {
      headers: { authorization: `Bearer ${server.controlToken}` },
      signal: leaving.signal,
    })
    if (response.status === 200) return { id, test, leave: () => leaving.abort() }
  }
}

test('a merchant that nobody calls is removed with its keys, and the default one stays', async () => {
  const server = await forgetful()
  const { id, test: keys } = await server.merchant()
  await isGone(server, id)
  expect((await server.as(keys)('GET', '/payout_intents')).status).toBe(401)
  expect(await merchantsOf(server)).toEqual(['default'])
  expect((await server.call('GET', '/payout_intents')).status).toBe(200)
  expect(server.stderr()).toContain(`merchant ${id} is removed, since nobody called it for 1s`)
})

test('a stream keeps its merchant until it ends', async () => {
  const server = await forgetful()
  const watched = await watchedMerchant(server)
  const other = await server.merchant()
  await isGone(server, other.id)
  expect(await merchantsOf(server)).toEqual(['default', watched.id])
  expect(await usable(server, watched.test)).toBe(true)
  watched.leave()
  await isGone(server, watched.id)
})

const usable = async (server: Server, keys: AccountKeys) =>
  (await server.as(keys)('GET', '/payout_intents')).status === 200

test('without the option, nothing is removed', async () => {
  const [server, other] = await Promise.all([ownServer({ args: ['--ephemeral'] }), forgetful()])
  const { id } = await server.merchant()
  await isGone(other, (await other.merchant()).id)
  expect(await merchantsOf(server)).toEqual(['default', id])
})

test.each([
  [['--forget-accounts', '10m', '--data', 'somewhere'], '--forget-accounts needs --ephemeral'],
  [['--forget-accounts', 'soon', '--ephemeral'], 'It must be a duration, such as 250ms, 30s or 10m.'],
  [['--forget-accounts', '0s', '--ephemeral'], 'It must be a duration, such as 250ms, 30s or 10m.'],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await runBinary(['serve', '--port', '0', ...args])
  expect(stderr).toContain(message)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
