import { expect, test } from 'vitest'
import { scratchDirectory, serveIn } from '../../support/gateway/serve-process.ts'

/** As `paysim serve --json | head -1` leaves it: ready, and read by nobody any more. */
test('serve continues if nobody reads its output', async () => {
  const { ready, turnAway, stop } = await serveIn(await scratchDirectory(), ['--port', '0', '--ephemeral'])
  turnAway()
  const headers = { authorization: `Bearer ${ready.control_token}` }
  // Each of them is told, some by more than one line, to a pipe that is closed.
  for (let call = 0; call < 20; call++) {
    const made = await fetch(`${ready.control_url}/merchants`, { method: 'POST', headers })
    expect(made.status).toBe(201)
  }
  expect(await stop()).toBe(0)
})
