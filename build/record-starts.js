// Runs the commands that start most often, each kind in a process of its own, and keeps what V8 compiled for them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const RECORDER = fileURLToPath(new URL('record-start.cjs', import.meta.url))

/** Without settings for paysim, and without flags of Node: some change what V8 compiles, and most people have none. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('PAYSIM_')),
)

const PAYMENT = {
  amount: '15000',
  currency: 'THB',
  country: 'TH',
  payment_method: 'th_promptpay',
  merchant_reference: 'order-1',
  customer: {},
}

/** Writes what was compiled into `dist/compiled/`, for exactly this Node. */
export async function recordStarts(dist) {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-build-'))
  const env = { ...environment, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder, HOME: folder }
  const record = (kind, commands, more = {}) =>
    recorder([resolve(dist), kind, JSON.stringify(commands)], { cwd: folder, env: { ...env, ...more } })
  const server = record('serve', [
    ['serve', '--ephemeral', '--json', '--port', '0'],
    ['serve', '--data', join(folder, 'data'), '--port', '0'],
  ])
  try {
    const ready = JSON.parse(await server.line(text => text.startsWith('{"event":"ready"')))
    await server.recorded
    const [{ public_key, secret_key }] = ready.accounts
    const created = await fetch(`${ready.url}/payment_intents`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`${public_key}:${secret_key}`).toString('base64')}`,
      },
      body: JSON.stringify(PAYMENT),
    })
    const { id } = await created.json()
    const keys = {
      PAYSIM_BASE_URL: ready.url,
      PAYSIM_PUBLIC_KEY: public_key,
      PAYSIM_SECRET_KEY: secret_key,
    }
    const caller = record('call', [['payments', 'get', id]], keys)
    await caller.recorded
    await caller.ended
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function recorder(args, options) {
  const child = spawn(process.execPath, [RECORDER, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit')
  const line = wanted =>
    new Promise((resolve, reject) => {
      lines.on('line', text => wanted(text) && resolve(text))
      ended.then(([code]) => reject(new Error(`a start that was recorded ended with ${code}`)))
    })
  const recorded = line(text => text === 'recorded')
  recorded.catch(() => {})
  const stop = async () => {
    child.kill()
    await ended
  }
  return { line, recorded, ended, stop }
}
