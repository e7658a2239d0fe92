import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fetchPackages } from './fetch-packages.js'

/** The newest version for Node 20. */
const VERSION = '5.14.2'

/** Finds Prism in `PAYSIM_PRISM`, or in a temporary folder, into which it is fetched once. */
export async function installPrism() {
  const folder = process.env.PAYSIM_PRISM || join(tmpdir(), `paysim-prism-${VERSION}`)
  const find = await fetchPackages(folder, [`@stoplight/prism-cli@${VERSION}`])
  return { version: VERSION, command: find('@stoplight/prism-cli/dist/index.js') }
}

/** Starts Prism as a proxy in front of the server. It passes on invalid calls too, and notes problems in a header. */
export async function startPrism({ command }, document, server) {
  const port = await freePort()
  const flags = [
    'proxy',
    document,
    server,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--errors',
    'false',
  ]
  const child = spawn(process.execPath, [command, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  const ended = once(child, 'exit')
  const told = []
  const listening = new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', line => {
        if (told.length < 100) told.push(line)
        if (line.includes('Prism is listening')) resolve()
      })
    ended.then(() => reject(new Error(`Prism did not start:\n${told.join('\n')}`)))
  })
  await listening
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

/** A free port for Prism, which does not report the port that it listens on. */
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return port
}
