import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlConformance } from '../http/openapi.ts'
import { BINARY } from '../paysim-binary.ts'

/**
 * Drives the built binary as its users do: a process, its ready line, and HTTP. Of src/ it knows the OpenAPI document of
 * the control surface alone, against which it holds each answer of it.
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
  controlUrl: string
  controlToken: string
  dataDir: string
  pid: number
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

export async function startServer(
  options: { args?: string[]; dataDir?: string; env?: Record<string, string> } = {},
): Promise<Server> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'paysim-blackbox-')))
  const args = ['serve', '--json', '--port', '0', '--data', dataDir, ...(options.args ?? [])]
  const child = spawn(process.execPath, [BINARY, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const exited = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
  const events: Record<string, unknown>[] = []
  // biome-ignore lint/suspicious/noExplicitAny: the ready line is read as it comes
  const ready: any = await new Promise((resolve, reject) => {
    let first = true
    let begun = ''
    // What stands behind the last line end is half a line: the server was killed as it wrote it.
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
  const as: Server['as'] = keys =>
    caller(ready.url, `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`)
  const control = conforming(caller(ready.control_url, `Bearer ${ready.control_token}`))
  return {
    url: ready.url,
    controlUrl: ready.control_url,
    controlToken: ready.control_token,
    dataDir,
    pid: child.pid ?? 0,
    accounts: ready.accounts,
    events,
    stderr: () => stderr,
    as,
    call: as(ready.accounts.find((account: AccountKeys) => account.id === 'default.test')),
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
    stop: () => end(child, exited, 'SIGTERM'),
    kill: async () => {
      await end(child, exited, 'SIGKILL')
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
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
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

function caller(base: string, authorization: string): Call {
  return async (method, path, options = {}) => {
    const headers: Record<string, string> = { ...options.headers }
    if (!options.anonymous) headers.authorization ??= authorization
    let body: string | Uint8Array<ArrayBuffer> | FormData | undefined = options.raw
    if (options.body !== undefined) {
      headers['content-type'] ??= 'application/json'
      body = JSON.stringify(options.body)
    }
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      parsed = undefined
    }
    return { status: response.status, headers: response.headers, text, body: parsed }
  }
}
