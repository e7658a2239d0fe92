import { fileURLToPath } from 'node:url'
import { startServer, timeToExit } from './child.js'
import { compare, inTurn } from './rounds.js'

const BARE = fileURLToPath(new URL('bare-start.cjs', import.meta.url))
const READY = ['serve', '--ephemeral', '--json', '--port', '0']

/** How long a command takes to be there. */
export async function measureStarts({ binary, starts }) {
  const times = await inTurn(
    {
      ready: () => timeToReady(binary, READY),
      bareReady: () => timeToReady(BARE),
      version: () => timeToExit([binary, '--version']),
      help: () => timeToExit([binary, '--help']),
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
      atMost: 2.5,
    }),
    compare('--version, to `node -e 0`', { ours: times.version, other: times.node, unit, atMost: 1.6 }),
    compare('--help, to `node -e 0`', { ours: times.help, other: times.node, unit, atMost: 1.8 }),
  ]
}

async function timeToReady(script, args) {
  const server = await startServer(script, args)
  await server.stop()
  return { measured: server.milliseconds, busy: server.busy }
}
