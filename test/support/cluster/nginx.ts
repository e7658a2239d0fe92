import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import type { AccountKeys } from '../gateway/server.ts'

/** A real nginx in front of three processes, with the configuration of docs/cluster.md. */

const NGINX = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync)

export const whyNoNginx = () => (NGINX === undefined ? 'nginx is not installed' : undefined)

/** The public host of the processes. */
export const HOST = 'pay.example.test'

/** Returns the Unix socket on which it listens: a port could be taken. */
export async function startNginx(addresses: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'paysim-nginx-'))
  const [, documented = ''] = /```nginx\n([^`]+)```/.exec(readFileSync('docs/cluster.md', 'utf8')) ?? []
  const socket = join(directory, 'socket')
  let site = documented.replace('listen 127.0.0.1:7300', `listen unix:${socket}`)
  for (const [nth, address] of addresses.entries())
    site = site.replaceAll(`127.0.0.1:${7301 + nth}`, new URL(address).host)
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
  await expect.poll(() => isListening(socket), { interval: 20 }).toBe(true)
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

interface Sent {
  readonly body?: unknown
  readonly key?: string | undefined
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** A call through nginx. Rejects if nginx does not answer. */
export async function callThrough(
  socketPath: string,
  keys: Pick<AccountKeys, 'public_key' | 'secret_key'>,
  method: string,
  path: string,
  { body, key }: Sent = {},
) {
  const sent = request({
    agent,
    socketPath,
    method,
    path,
    headers: {
      host: HOST,
      authorization: `Basic ${btoa(`${keys.public_key}:${keys.secret_key}`)}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await once(sent, 'response')
  const answered = await text(answer)
  const isJson = String(answer.headers['content-type']).includes('json')
  return {
    status: answer.statusCode as number,
    text: answered,
    body: isJson ? JSON.parse(answered) : undefined,
  }
}
