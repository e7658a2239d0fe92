import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** The newest version for Node 20. It is no dependency, because only this script needs it and its 180 packages. */
const VERSION = '5.14.2'

/** Returns the folder of Prism: `PAYSIM_PRISM`, or a temporary folder into which npm installs it once. */
export async function installPrism() {
  const folder = process.env.PAYSIM_PRISM || join(tmpdir(), `paysim-prism-${VERSION}`)
  const { resolve } = createRequire(join(folder, 'package.json'))
  const find = () => ({ version: VERSION, command: resolve('@stoplight/prism-cli/dist/index.js') })
  try {
    return find()
  } catch {
    console.log(`fetching @stoplight/prism-cli ${VERSION} into ${folder}`)
  }
  const flags = [
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefix',
    folder,
  ]
  for (let tries = 3; ; tries--) {
    try {
      await promisify(execFile)('npm', ['install', ...flags, `@stoplight/prism-cli@${VERSION}`])
      return find()
    } catch (cause) {
      if (tries === 1) throw new Error(`Prism could not be fetched: ${cause.stderr ?? cause.message}`)
    }
  }
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
