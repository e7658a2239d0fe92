import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Listener, listenAgain } from '../../src/server/http/listener.ts'

async function occupy(port: number): Promise<number> {
  const occupant = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void occupant.close())
  await once(occupant, 'listening')
  return (occupant.address() as AddressInfo).port
}

test('the server uses another port when the last one is taken just before it listens', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port: lastPort } = free.address() as AddressInfo
  await new Promise(resolve => free.close(resolve))
  const listener = new Listener(
    () => {},
    () => {},
  )
  onTestFinished(() => listener.close(() => {}))
  const overtaken: Pick<Listener, 'listen'> = {
    async listen(host, port, onBound) {
      if (port === lastPort) await occupy(port)
      return listener.listen(host, port, onBound)
    },
  }
  const addresses: string[] = []
  const onBound = (url: string) => void addresses.push(url)
  const place = { host: '127.0.0.1', name: 'port', onBound } as const
  const bound = await listenAgain({ listener: overtaken }, place, lastPort)
  expect(bound).not.toBe(lastPort)
  expect(addresses).toEqual([`http://127.0.0.1:${bound}`])
})
