import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** It adds 30 ms to every start of Node 20, which would hide the difference. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/**
 * Starts a script that prints a line when it is ready: its first, or the first that matches. Returns the time that it
 * took, and the line.
 */
export async function startServer(script, args = [], { ready = /^/ } = {}) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const lines = createInterface({ input: child.stdout })
  const firstLine = await new Promise((resolve, reject) => {
    lines.on('line', line => {
      if (ready.test(line)) resolve(line)
    })
    child.once('exit', code => reject(new Error(`${script} exited with ${code} before it was ready`)))
  })
  const milliseconds = performance.now() - startedAt
  const busy = busyMilliseconds(child.pid)
  // A server that logs must not wait for a reader.
  lines.close()
  child.stdout.resume()
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { firstLine, milliseconds, busy, pid: child.pid, stop }
}

/** The processor time of a process with all its threads. Works only on Linux; elsewhere it is NaN. */
export function busyMilliseconds(pid) {
  if (process.platform !== 'linux') return Number.NaN
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map(thread => {
    const [onProcessor] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(onProcessor)
  })
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000
}

/** The memory of a process, as Linux reports it; null elsewhere. */
export function residentMegabytes(pid) {
  if (process.platform !== 'linux') return null
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kilobytes) / 1024
}

/** Starts a server, stops it, and returns the time until it was ready. */
export async function timeToReady(script, args) {
  const server = await startServer(script, args)
  await server.stop()
  return { measured: server.milliseconds, busy: server.busy }
}

/** Runs a script to its end, and returns the time. */
export async function timeToExit(args, { more = {}, cwd } = {}) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...env, ...more }, cwd })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`node ${args.join(' ')} exited with ${code}`)
  return { measured: performance.now() - startedAt, busy: Number.NaN }
}

const PEAK = fileURLToPath(new URL('peak-memory.cjs', import.meta.url))

/** Runs a script to its end, discards its output, and returns its peak memory in MB. */
export async function peakMemory(args, { more = {}, cwd } = {}) {
  const child = spawn(process.execPath, ['--require', PEAK, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    env: { ...env, ...more },
    cwd,
  })
  let lines = 0
  child.stdout.on('data', chunk => {
    for (const byte of chunk) if (byte === 10) lines++
  })
  let told = ''
  child.stdio[3].setEncoding('utf8').on('data', text => {
    told += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`node ${args.join(' ')} exited with ${code}`)
  return { megabytes: Number(told) / 1024, lines }
}

const BARE = fileURLToPath(new URL('bare.js', import.meta.url))

/** The bare server of a kind; its first line is its URL. */
export async function startBare(kind, facts) {
  const server = await startServer(BARE, [kind, JSON.stringify(facts)])
  return { ...server, url: server.firstLine }
}
