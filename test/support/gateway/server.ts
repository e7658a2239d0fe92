import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dispatcher, request } from 'undici'
import { controlConformance } from '../http/openapi.ts'
import { BINARY } from '../paysim-binary.ts'

/**
 * Drives the built binary as its users do: a process, its ready line, and HTTP. From src/ it uses only the OpenAPI
 * document of the control surface, against which each answer of the control surface is checked.
 */

export interface AccountKeys {
  id: string
  merchant: string
  environment: 'test' | 'live'
  public_key: string
  secret_key: string
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
  body: any
}

export interface CallOptions {
  body?: unknown
  raw?: string | Uint8Array<ArrayBuffer> | FormData
  headers?: Record<string, string>
  /** Sends no credentials. */
  anonymous?: boolean
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>

export interface Server {
  url: string
  /** The address of this very process. */
  listen: string
  controlUrl: string
  controlToken: string
  dataDir: string
  pid: number
  /** Of all processes, where several serve one database. */
  pids: readonly number[]
  accounts: AccountKeys[]
  /** Parsed lines of stdout after the ready line. */
  events: Record<string, unknown>[]
  stderr: () => string
  /** A caller of the merchant API with an account's keys. */
  as: (keys: Pick<AccountKeys, 'public_key' | 'secret_key'>) => Call
  /** The default merchant's test account. */
  call: Call
  /** A caller of the control surface; paths such as `/merchants` are relative to it. */
  control: Call
  /** A new merchant, to isolate one test. */
  merchant: (
    settings?: Record<string, unknown>,
  ) => Promise<{ id: string; test: AccountKeys; live: AccountKeys }>
  /** Sends SIGTERM and returns the exit code. */
  stop: () => Promise<number | null>
  /** Sends SIGKILL, as in a crash. */
  kill: () => Promise<void>
}

interface Start {
  readonly args?: readonly string[]
  readonly dataDir?: string
  readonly store?: string
  readonly env?: Readonly<Record<string, string>>
  /** Another build than the usual one. */
  readonly binary?: string
}

export async function startServer(options: Start = {}): Promise<Server> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'paysim-blackbox-')))
  const kept = options.store === undefined ? ['--data', dataDir] : ['--store', options.store]
  const args = ['serve', '--json', '--port', '0', ...kept, ...(options.args ?? [])]
  const child = spawn(process.execPath, [options.binary ?? BINARY, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PAYSIM_SERVER_OF_TEST_RUN: process.env.PAYSIM_TEST_RUN, ...options.env },
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  // "exit" may be emitted before all output was read.
  const exited = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
  const events: Record<string, unknown>[] = []
  // biome-ignore lint/suspicious/noExplicitAny: the ready line is read as it comes
  const ready: any = await new Promise((resolve, reject) => {
    let first = true
    let begun = ''
    // Text after the last line feed is an incomplete line: the server was killed while it wrote the line.
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (begun + text).split('\n')
      begun = lines.pop() ?? ''
      for (const line of lines) {
        const parsed = JSON.parse(line)
        if (first) resolve(parsed)
        else events.push(parsed)
        first = false
      }
    })
    exited.then(code => reject(new Error(`paysim serve exited with ${code} before it was ready:\n${stderr}`)))
  })
  return {
    ...driverOf(ready),
    url: ready.url,
    listen: ready.listen,
    controlUrl: ready.control_url,
    controlToken: ready.control_token,
    dataDir,
    pid: child.pid ?? 0,
    pids: [child.pid ?? 0],
    accounts: ready.accounts,
    events,
    stderr: () => stderr,
    stop: () => end(child, exited, 'SIGTERM'),
    kill: async () => {
      await end(child, exited, 'SIGKILL')
    },
  }
}

interface Addresses {
  readonly url: string
  readonly control_url: string
  readonly control_token: string
  readonly accounts: readonly AccountKeys[]
}

/** The callers of a server. With `apart`, each call has its own connection, which a balancer takes anywhere. */
export function driverOf(
  { url, control_url, control_token, accounts }: Addresses,
  apart = false,
): Pick<Server, 'as' | 'call' | 'control' | 'merchant'> {
  const as: Server['as'] = keys =>
    caller(url, `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`, apart)
  const control = conforming(caller(control_url, `Bearer ${control_token}`, apart))
  const first = accounts.find(account => account.id === 'default.test')
  if (!first) throw new Error('the server has no account default.test')
  return {
    as,
    call: as(first),
    control,
    merchant: async settings => {
      const made = await control('POST', '/merchants', { body: settings ?? {} })
      if (made.status !== 201) throw new Error(`no merchant: ${made.status} ${made.text}`)
      const [test, live] = (['test', 'live'] as const).map(environment => ({
        ...made.body.accounts.find((account: AccountKeys) => account.environment === environment),
        merchant: made.body.id,
      }))
      return { id: made.body.id, test: test as AccountKeys, live: live as AccountKeys }
    },
  }
}

/** Runs the binary to its end, for start-up errors and short commands. */
export async function runBinary(
  args: string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { env, cwd } = options
  const child = spawn(process.execPath, [BINARY, ...args], { cwd, env: { ...process.env, ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  child.stdin.end(options.input ?? '')
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, stdout, stderr }
}

export async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

async function end(child: ChildProcess, exited: Promise<number | null>, signal: NodeJS.Signals) {
  child.kill(signal)
  return exited
}

function conforming(call: Call): Call {
  return async (method, path, options) => {
    const answer = await call(method, path, options)
    controlConformance().check(method, path, options, answer)
    return answer
  }
}

const LARGE = 1_000_000

function sizeOf(raw: CallOptions['raw']): number {
  if (!(raw instanceof FormData)) return raw?.length ?? 0
  return [...raw.values()].reduce(
    (sum, part) => sum + (typeof part === 'string' ? part.length : part.size),
    0,
  )
}

/** By `request`: `fetch` takes seven times as long, which was a quarter of what a test did in its own process. */
function caller(base: string, authorization: string, apart: boolean): Call {
  return async (method, path, options = {}) => {
    const headers = new Headers(options.headers)
    // A server that closes a connection whose body it has not read resets it, and the answer may be lost.
    const isLarge = sizeOf(options.raw) > LARGE
    if (apart && !isLarge) headers.set('connection', 'close')
    if (!options.anonymous && !headers.has('authorization')) headers.set('authorization', authorization)
    const [body, type] = await encoded(options)
    if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type)
    const answer = await request(`${base}${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
    })
    const text = await answer.body.text()
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      parsed = undefined
    }
    return { status: answer.statusCode, headers: headersOf(answer.headers), text, body: parsed }
  }
}

/** The bytes of a body, and the type that `fetch` would give them. */
async function encoded({ body, raw }: CallOptions) {
  if (body !== undefined) return [JSON.stringify(body), 'application/json'] as const
  if (typeof raw === 'string') return [raw, 'text/plain;charset=UTF-8'] as const
  if (!(raw instanceof FormData)) return [raw] as const
  const form = new Response(raw)
  return [Buffer.from(await form.arrayBuffer()), form.headers.get('content-type') ?? ''] as const
}

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(received))
    for (const value of [values].flat()) headers.append(name, value)
  return headers
}
