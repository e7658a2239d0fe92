// Runs a PostgreSQL server for a test, by `fork`. It stops the server and removes its files when the test process ends.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const { programs, password, settings } = JSON.parse(process.argv[2] ?? '{}')
const USER = 'paysim'
/** Another process may take a free port before PostgreSQL does. */
const TRIES = 5

// Short, because a socket's path may have 107 characters.
const directory = mkdtempSync(join(tmpdir(), 'paysim-pg-'))
const data = join(directory, 'data')
const log = join(directory, 'log')
const owner = unprivileged()
const asOwner = { ...owner, cwd: directory }
if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid)
chmodSync(directory, 0o711)

let server
let closed
let port = 0

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = flag => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // There is no such user here.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no user postgres or nobody')
}

async function create() {
  const secret = join(directory, 'password')
  writeFileSync(secret, password)
  if (owner.uid !== undefined) chownSync(secret, owner.uid, owner.gid)
  const args = ['-D', data, '-U', USER, '-E', 'UTF8', '--locale=C', '--no-sync', '--pwfile', secret]
  await promisify(execFile)(
    join(programs, 'initdb'),
    [...args, '--auth-local=trust', '--auth-host=scram-sha-256'],
    asOwner,
  )
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port: free } = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return free
}

async function start() {
  for (let nth = 1; ; nth++) {
    port ||= await freePort()
    writeFileSync(log, '')
    const all = { ...settings, port, listen_addresses: '127.0.0.1', unix_socket_directories: directory }
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = spawn(join(programs, 'postgres'), ['-D', data, ...args], {
      ...asOwner,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const child = server
    closed = new Promise(resolve => child.once('close', resolve))
    const isReady = await new Promise(resolve => {
      let text = ''
      child.stderr.setEncoding('utf8').on('data', said => {
        text += said
        writeFileSync(log, said, { flag: 'a' })
        if (text.includes('ready to accept connections')) resolve(true)
        text = text.slice(-200)
      })
      closed.then(() => resolve(false))
    })
    if (isReady) return
    const said = readFileSync(log, 'utf8')
    if (nth === TRIES || !said.includes('Address already in use'))
      throw new Error(`postgres did not start:\n${said}`)
    port = 0
  }
}

/** Fast ends the connections first; immediate ends like a crash. */
async function stop(mode) {
  server?.kill(mode === 'immediate' ? 'SIGQUIT' : 'SIGINT')
  await closed
  server = undefined
}

async function end() {
  await stop('immediate')
  rmSync(directory, { recursive: true, force: true })
}

const CALLS = {
  start,
  stop,
  end,
  pause: () => server?.kill('SIGSTOP'),
  proceed: () => server?.kill('SIGCONT'),
}
// One call after the other.
let last = Promise.resolve()
process.on('message', ({ id, call, mode }) => {
  last = last
    .then(() => CALLS[call](mode))
    .then(() => ({}))
    .catch(error => ({ problem: String(error?.stack ?? error) }))
    .then(answer => {
      if (process.connected) process.send({ id, ...answer })
      if (call === 'end') process.disconnect()
    })
})
// The test's process has ended or disconnected.
process.once('disconnect', () => {
  server?.kill('SIGCONT')
  last.then(end).then(() => process.exit(0))
})

try {
  await create()
  await start()
  process.send({ id: 0, port, directory })
} catch (error) {
  const problem = [error?.stack, error?.stderr].filter(Boolean).join('\n')
  process.send({ id: 0, problem }, () => process.disconnect())
}
