import { type Serializable, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Json } from '../gateway/merchant.ts'
import type { AccountKeys } from '../gateway/server.ts'

/** The module that makes a server fail. Hundreds of these servers run for a second each, so their caller is simple. */

const DISK_HAND = fileURLToPath(new URL('disk-hand.js', import.meta.url))

/** What happens at the nth call from now on that changes the disk, or that uses it in any way. */
export interface DiskPlan {
  readonly nth: number
  readonly then: 'end before' | 'end after' | 'end halfway' | 'fail' | 'tell'
  /** Counting begins with the first call for a path with this text. */
  readonly from?: string
  readonly code?: string
  /** How many calls fail, or are told. */
  readonly times?: number
  /** Calls that only read count too, such as those that list a folder. */
  readonly withReads?: boolean
  /** Calls fail only when the next plan is made, and wait until then. */
  readonly isHeld?: boolean
}

export interface Reply {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
  readonly body: Json
}

interface CallParts {
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly bytes?: Buffer
}

export interface TortureServer {
  readonly pid: number
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
  readonly accounts: readonly AccountKeys[]
  /** A call of the control surface; undefined if no whole answer came. */
  control(method: string, path: string, body?: unknown): Promise<Reply | undefined>
  /** A call of the merchant API with these keys. */
  call(keys: Keys, method: string, path: string, parts?: CallParts): Promise<Reply | undefined>
  /** Plans a failure of the disk, or none any more; returns how many calls there were since the last plan. */
  plan(next: DiskPlan | null): Promise<number>
  /** The bytes in use, without garbage that was not collected yet. */
  memory(): Promise<number>
  /** Nothing happens if it has ended already. */
  signal(name: NodeJS.Signals): void
  kill(): Promise<void>
  stop(): Promise<number | null>
  readonly ended: Promise<void>
  hasEnded(): boolean
  stderr(): string
}

export type Keys = Pick<AccountKeys, 'public_key' | 'secret_key'>

export type Caller = Pick<TortureServer, 'call' | 'control'>

interface Start {
  readonly binary: string
  /** Where it keeps its data: a directory, or the address of a database. */
  readonly dataDir?: string
  readonly store?: string
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  /** The plan for the calls of the start. */
  readonly plan?: DiskPlan | undefined
}

/** The calls that a plan told: each with its file. */
export const toldIn = (stderr: string) => [...stderr.matchAll(/\ncalled (\w+ .*)\n/g)].map(([, call]) => call)

/** Where a plan ended the server: the call and the file. */
export const endOf = (stderr: string) => /\nended at (\w+) (.*)\n/.exec(stderr)?.slice(1).join(' ')

/** Undefined if the server ended as planned before it was ready. Throws if it ended by itself. */
export async function startTortured(start: Start): Promise<{ server?: TortureServer; stderr: string }> {
  const { binary, dataDir = '', store, args = [], plan } = start
  const preload = `--import ${pathToFileURL(DISK_HAND)}`
  const kept = store === undefined ? ['--data', dataDir] : ['--store', store]
  const child = spawn(process.execPath, [binary, 'serve', '--json', '--port', '0', ...kept, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      // Without a directory, there are no calls of the disk to count.
      ...(store === undefined
        ? { NODE_OPTIONS: `${preload} ${start.env?.NODE_OPTIONS ?? ''}`, TORTURE_DATA: dataDir }
        : {}),
      ...(plan ? { TORTURE_PLAN: JSON.stringify(plan) } : {}),
    },
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const closed = once(child, 'close').then(([code]) => code as number | null)
  const ready = await new Promise<Json | undefined>(resolve => {
    let text = ''
    const read = (more: string) => {
      text += more
      if (!text.includes('\n')) return
      child.stdout?.off('data', read).resume()
      resolve(JSON.parse(text.slice(0, text.indexOf('\n'))))
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    closed.then(() => resolve(undefined))
  })
  if (!ready) {
    if (endOf(stderr) === undefined) throw new Error(`the server ended at its start:\n${stderr}`)
    return { stderr }
  }
  let isOver = false
  const ended = closed.then(() => {
    isOver = true
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  ended.then(() => agent.destroy())
  const control = { authorization: `Bearer ${ready.control_token}` }
  // The address of this process, because the public address is that of a balancer if there are several processes.
  const controlUrl = `${ready.listen}/_paysim`
  /** Asks the server something. The answer is zero if the server ends meanwhile. */
  const ask = (what: Serializable) => {
    const answer = new Promise<number>(resolve => child.once('message', said => resolve(said as number)))
    // The plan of its start may just have ended it. Without a callback, the broken channel would be an error.
    child.send(what, () => {})
    return Promise.race([answer, ended.then(() => 0)])
  }
  const server: TortureServer = {
    pid: child.pid ?? 0,
    url: ready.listen,
    controlUrl,
    controlToken: ready.control_token,
    accounts: ready.accounts,
    ended,
    hasEnded: () => isOver,
    stderr: () => stderr,
    control: (method, path, body) =>
      exchange(agent, method, `${controlUrl}${path}`, { headers: control, body }),
    call: ({ public_key, secret_key }, method, path, { headers, ...parts } = {}) => {
      const authorization = `Basic ${Buffer.from(`${public_key}:${secret_key}`).toString('base64')}`
      return exchange(agent, method, `${ready.listen}${path}`, {
        headers: { authorization, ...headers },
        ...parts,
      })
    },
    plan: next => ask(next as Serializable),
    memory: () => ask('memory'),
    signal: name => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: () => {
      child.kill('SIGTERM')
      return closed
    },
  }
  return { server, stderr }
}

/** Sends a request. The result is undefined unless the whole answer arrived. */
function exchange(
  agent: Agent,
  method: string,
  address: string,
  parts: CallParts,
): Promise<Reply | undefined> {
  const bytes =
    parts.bytes ?? (parts.body === undefined ? undefined : Buffer.from(JSON.stringify(parts.body)))
  const type = parts.body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise(resolve => {
    const outgoing = request(address, { method, agent, headers: { ...type, ...parts.headers } })
    outgoing.once('error', cause => {
      // The server closed an idle connection at the moment when this request used it.
      const isStale = outgoing.reusedSocket && 'code' in cause && cause.code === 'ECONNRESET'
      resolve(isStale ? exchange(agent, method, address, parts) : undefined)
    })
    outgoing.once('response', incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', chunk => chunks.push(chunk))
      incoming.once('error', () => resolve(undefined))
      incoming.once('close', () => {
        if (!incoming.complete) return resolve(undefined)
        const text = Buffer.concat(chunks).toString()
        const replayed = incoming.headers['idempotent-replayed'] !== undefined
        resolve({ status: incoming.statusCode ?? 0, text, replayed, body: parsed(text) })
      })
    })
    outgoing.end(bytes)
  })
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
