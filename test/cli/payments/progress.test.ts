import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../../support/cli/shop.ts'
import { noTerminal, openTerminal } from '../../support/cli/terminal.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import { MOST_BYTES, padded, png } from '../../support/payments/receipt-images.ts'

const place = useWorkplace()

/** A server that answers only when it is told to. */
async function hesitantServer() {
  let arrived = 0
  let answer = () => {}
  const told = new Promise<void>(resolve => {
    answer = resolve
  })
  const server = createServer(async (request, response) => {
    for await (const chunk of request) arrived += chunk.length
    await told
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'pi_1', object: 'payment_intent', status: 'pending' }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, answer, arrived: () => arrived }
}

test.skipIf(noTerminal)('a large upload shows its progress, and removes it at the end', async () => {
  const slow = await hesitantServer()
  const slip = await place().write('slip.png', padded(png(), MOST_BYTES))
  const env = environmentOf(slow.url, { public_key: 'pk_test_1', secret_key: 'sk_test_1' })
  const terminal = await openTerminal(['payments', 'submit-receipt', 'pi_1', '--file', slip], {
    columns: 80,
    env,
    stdout: 'payment.txt',
  })
  onTestFinished(() => terminal.close())
  const screen = await terminal.waitFor(/slip\.png █{24} 100 % of 5\.0 MiB/)
  expect(screen).toMatch(/^idempotency key [\da-f-]{36}$/m)
  expect(slow.arrived()).toBeGreaterThan(0)
  slow.answer()
  expect(await terminal.exit()).toBe(0)
  expect(await terminal.capture()).not.toContain('slip.png')
})
