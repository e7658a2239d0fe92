// Other servers that answer like a payment gateway, for a developer who chooses between them and paysim. They are
// installed in a folder of their own, because paysim needs none of them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from './child.js'
import { recordName } from './names.js'

const VERSIONS = {
  fastify: '5.12.8',
  '@stoplight/prism-cli': '5.14.2',
  'json-server': '0.17.4',
  '@mockoon/cli': '9.9.0',
}

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/paysim-bench-peers/', import.meta.url))
const FASTIFY = fileURLToPath(new URL('fastify-server.cjs', import.meta.url))

/** The peers by name: how each is started with as many records as asked for, each of a length. */
const PEERS = {
  Fastify: {
    package: 'fastify',
    args: ({ records, port }) => [FASTIFY, FOLDER, records, port],
    ready: /listening/,
  },
  Prism: {
    package: '@stoplight/prism-cli',
    args: ({ document, port }) => [bin('@stoplight/prism-cli', 'prism'), 'mock', '--port', port, document],
    ready: /Prism is listening/,
  },
  'json-server': {
    package: 'json-server',
    args: ({ records, port }) => [bin('json-server', 'json-server'), '--port', port, records],
    ready: /Home/,
  },
  Mockoon: {
    package: '@mockoon/cli',
    args: ({ document, port }) => [
      bin('@mockoon/cli', 'mockoon-cli'),
      ...['start', '--data', document, '--port', port, '--disable-log-to-file'],
    ],
    ready: /Server started/,
  },
}

export const peerNames = Object.keys(PEERS)

/** What a peer is called in the table. */
export const titleOf = name => `${name} ${VERSIONS[PEERS[name].package]}`

export function installPeers() {
  mkdirSync(FOLDER, { recursive: true })
  const wanted = { private: true, dependencies: VERSIONS }
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify(wanted))
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] })
}

function bin(name, command) {
  const require = createRequire(FOLDER)
  const path = require.resolve(`${name}/package.json`)
  const { bin: bins } = require(path)
  return join(path, '..', typeof bins === 'string' ? bins : bins[command])
}

/** Starts a peer with records to look up, or with an example of one if it keeps no records. */
export async function startPeer(name, { count, length }, onEnd) {
  const { args, ready } = PEERS[name]
  const folder = await mkdtemp(join(tmpdir(), 'paysim-bench-'))
  onEnd(() => rm(folder, { recursive: true, force: true }))
  const [document, records] = [join(folder, 'openapi.json'), join(folder, 'records.json')]
  writeFileSync(document, JSON.stringify(openApiOf(length)))
  const payment_intents = Array.from({ length: count }, (_, at) => recordOf(recordName('pi', at + 1), length))
  writeFileSync(records, JSON.stringify({ payment_intents }))
  const port = await freePort()
  const [script, ...rest] = args({ document, records, port: String(port) })
  const server = await startServer(script, rest, { ready })
  onEnd(server.stop)
  return { ...server, url: `http://127.0.0.1:${port}` }
}

function recordOf(id, length) {
  const empty = JSON.stringify({ id, padding: '' })
  return { id, padding: '.'.repeat(Math.max(0, length - empty.length)) }
}

function openApiOf(length) {
  const example = recordOf('pi_1', length)
  const properties = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, { type: 'string', example: value }]),
  )
  const content = { 'application/json': { schema: { type: 'object', properties }, example } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const body = { content: { 'application/json': { schema: { type: 'object' } } } }
  return {
    openapi: '3.0.3',
    info: { title: 'Payments', version: '1' },
    paths: {
      '/payment_intents': {
        post: { requestBody: body, responses: { 201: { description: 'created', content } } },
      },
      '/payment_intents/{id}': {
        get: { parameters: [id], responses: { 200: { description: 'one', content } } },
      },
    },
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
