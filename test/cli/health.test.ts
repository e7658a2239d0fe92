import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkplace } from '../support/cli/workplace.ts'

/** A server that answers with this status, and keeps what it was asked. */
async function answering(status: number) {
  const asked: { url: string | undefined; authorization: string | undefined }[] = []
  const server = createServer(({ url, headers: { authorization } }, response) => {
    asked.push({ url, authorization })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(status === 200 ? '{"status":"ready"}' : '{"error":{"code":"internal","message":"starting"}}')
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('health ends with 0 or 1, and takes no token to the address', async () => {
  const place = await openWorkplace()
  onTestFinished(place.close)
  const health = (...args: string[]) =>
    place.paysim(['health', ...args], { env: { PAYSIM_CONTROL_TOKEN: 'a-token-of-somebody-else' } })

  const ready = await answering(200)
  expect(await health(ready.url)).toEqual({ code: 0, stdout: 'ready\n', stderr: '' })
  expect(ready.asked.map(({ url }) => url)).toEqual(['/_paysim/ready'])
  expect(JSON.stringify(ready.asked)).not.toContain('a-token-of-somebody-else')

  const starting = await answering(503)
  for (const args of [[starting.url], ['http://127.0.0.1:1'], ['no address'], []]) {
    const { code, stdout, stderr } = await health(...args)
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^paysim health: \S/)
  }
})
