import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { type AccountKeys, removeDirectory, type Server, startServer } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** The configuration of docs/cluster.md, as nginx reads it. */

const NGINX = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync)
const reason = whyNoPostgres() ?? (NGINX === undefined ? 'nginx is not installed' : undefined)
if (reason !== undefined) console.warn(`A balancer in front of a cluster is not tested here: ${reason}`)

const HOST = 'pay.example.test'
const ARGS = ['--public-url', `http://${HOST}`, '--control-token', 'the-token-of-the-whole-cluster']

async function threeProcesses(): Promise<Server[]> {
  const store = await (await workerPostgres()).newDatabase()
  const nodes = [await startServer({ store, args: ARGS })]
  onTestFinished(async () => {
    await Promise.all(nodes.map(node => node.kill()))
    await removeDirectory(nodes[0]?.dataDir ?? '')
  })
  for (let nth = 1; nth < 3; nth++)
    nodes.push(await startServer({ store, args: ARGS, dataDir: nodes[0]?.dataDir ?? '' }))
  return nodes
}

/** Starts nginx with the documented configuration. It listens on a Unix socket: ports of its own could be taken. */
async function startNginx(nodes: readonly Server[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'paysim-nginx-'))
  const [, documented = ''] = /```nginx\n([^`]+)```/.exec(readFileSync('docs/cluster.md', 'utf8')) ?? []
  const socket = join(directory, 'socket')
  let site = documented.replace('listen 127.0.0.1:7300', `listen unix:${socket}`)
  for (const [nth, node] of nodes.entries())
    site = site.replace(`127.0.0.1:${7301 + nth}`, new URL(node.listen).host)
  expect(site).not.toMatch(/:730\d/)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(what => `${what}_temp_path ${directory}/${what};`)
    .join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(
    join(directory, 'nginx.conf'),
    `daemon off; ${user} pid ${directory}/pid; error_log ${directory}/errors;
     events {} http { access_log off; ${temporary}\n${site}\n}`,
  )
  const args = ['-p', directory, '-c', join(directory, 'nginx.conf')]
  const checked = spawnSync(NGINX ?? '', [...args, '-t'], { encoding: 'utf8' })
  expect(checked.status, checked.stderr).toBe(0)
  const nginx = spawn(NGINX ?? '', args, { stdio: 'ignore' })
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    if (nginx.exitCode === null) await once(nginx, 'exit')
    await rm(directory, { recursive: true, force: true })
  })
  // Its file is there before nginx listens on it, so only a connection shows that it does.
  await expect.poll(() => isListening(socket), { interval: 20, timeout: 60_000 }).toBe(true)
  return socket
}

/** No request: it would have a turn among those that nginx spreads. */
function isListening(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const connection = connect(path, () => {
      connection.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })
}

async function call(socketPath: string, keys: AccountKeys, method: string, path: string, body?: unknown) {
  const sent = request({
    socketPath,
    method,
    path,
    headers: {
      host: HOST,
      authorization: `Basic ${btoa(`${keys.public_key}:${keys.secret_key}`)}`,
      'content-type': 'application/json',
    },
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode as number, body: JSON.parse(await text(answer)) }
}

test.skipIf(reason !== undefined)(
  'nginx with the documented setup spreads calls over three processes and keeps working with two',
  async () => {
    const nodes = await threeProcesses()
    const socket = await startNginx(nodes)
    const [keys] = nodes[0]?.accounts ?? []
    if (!keys) throw new Error('no account')
    const payments: string[] = []
    const create = async () => {
      const created = await call(socket, keys, 'POST', '/payment_intents', paying('th_bank_transfer'))
      expect(created.status, JSON.stringify(created.body)).toBe(201)
      payments.push(created.body.id)
    }
    for (let nth = 0; nth < 6; nth++) await create()
    // The process that was called first holds it; the two others forward their calls.
    await nodes[0]?.kill()
    for (let nth = 0; nth < 6; nth++) await create()
    for (const id of payments)
      expect(await call(socket, keys, 'GET', `/payment_intents/${id}`)).toMatchObject({
        status: 200,
        body: { id },
      })
    expect(new Set(payments).size).toBe(12)
  },
)
