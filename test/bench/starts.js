import { fileURLToPath } from 'node:url'
import { timeToExit, timeToReady } from './child.js'
import { merchantAt } from './merchant.js'
import { PAYMENTS, postJson, READY, servePaysim, transferPayment } from './paysim.js'
import { compare, inTurn } from './rounds.js'

const BARE = fileURLToPath(new URL('bare-start.cjs', import.meta.url))

/** How long a command takes to start. */
export async function measureStarts({ binary, starts }, onEnd) {
  const server = await servePaysim(binary, ['--ephemeral'])
  onEnd(server.stop)
  const { body: payment } = await postJson(
    server.url + PAYMENTS,
    server.authorization,
    transferPayment('start'),
  )
  const { where, leave } = await merchantAt(server.url, server.keys)
  onEnd(leave)
  const times = await inTurn(
    {
      ready: () => timeToReady(binary, READY),
      bareReady: () => timeToReady(BARE),
      version: () => timeToExit([binary, '--version']),
      help: () => timeToExit([binary, '--help']),
      call: () => timeToExit([binary, 'payments', 'get', payment.id], where),
      json: () => timeToExit([binary, 'payments', 'get', payment.id, '-o', 'json'], where),
      node: () => timeToExit(['-e', '0']),
    },
    starts,
  )
  const unit = 'ms'
  return [
    compare('serve --ephemeral, to ready', {
      ours: times.ready,
      other: times.bareReady,
      unit,
      atMost: 2.4,
    }),
    compare('--version, to `node -e 0`', { ours: times.version, other: times.node, unit, atMost: 1.25 }),
    compare('payments get, to `node -e 0`', { ours: times.call, other: times.node, unit, atMost: 3 }),
    compare('  the same with -o json', { ours: times.json, other: times.node, unit, atMost: 3 }),
    compare('--help, to `node -e 0`', { ours: times.help, other: times.node, unit, atMost: 2 }),
  ]
}
