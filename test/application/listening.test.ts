import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'

/** A second copy of the module begins at the same port, and knows nothing of the first: as another process would. */
async function anotherProcess() {
  vi.resetModules()
  const { claimPort } = await import('../../src/application/listening.ts')
  return async () => {
    const claimed = await claimPort()
    onTestFinished(claimed.release)
    return claimed
  }
}

test('two processes never claim the same port, although nothing listens on it yet', async () => {
  const [one, other] = [await anotherProcess(), await anotherProcess()]
  const ports = new Set<number>()
  for (let nth = 0; nth < 5; nth++) ports.add((await one()).port).add((await other()).port)
  expect(ports.size).toBe(10)
})

test('a port that something else listens on is skipped', async () => {
  const { port, release } = await (await anotherProcess())()
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  release()
  expect((await (await anotherProcess())()).port).not.toBe(port)
})
