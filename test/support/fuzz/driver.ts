import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { AccountKeys } from '../gateway/server.ts'
import type { TortureServer } from '../torture/torture-server.ts'
import type { Chance } from './chance.ts'
import { damagedBytes } from './damage.ts'
import { type FuzzRequest, type Operation, requestFor } from './requests.ts'

/** How long a server may take to answer a damaged request. */

const LONGEST_MS = 1000
/** How long an advance may take, because it may have much to do and waits for receivers. */
const LONGEST_ADVANCE_MS = 60_000
/** How often a slow request is sent again. A busy machine is slow now and then; a slow request is slow each time. */
const TRIES = 10
const KNOWN = 400
const ID = /"((?:pi|po|evt|we|ast|wd|dlv|del|mer)_[\w-]+)"/g

interface Answered {
  readonly status: number
  readonly text: string
  readonly ms: number
}

/** Why there is no answer: Node cannot send such a request, the connection ended, or nothing came for a minute. */
type Silence = 'not sent' | 'cut' | 'silent'

/** One client with its own account, so that its changes do not affect the answers to other clients. */
export class Driver {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #known: string[] = []
  #merchant = ''
  #keys = ''
  readonly statuses = new Map<number, number>()

  constructor(
    private readonly server: TortureServer,
    private readonly merchantCalls: readonly Operation[],
    private readonly controlCalls: readonly Operation[],
  ) {}

  get #account(): string {
    return `${this.#merchant}.test`
  }

  /** Makes the account as good as new, or creates another one if it was removed. */
  async prepare(): Promise<void> {
    const there =
      this.#merchant !== '' && (await this.server.control('POST', `/accounts/${this.#account}/reset`))
    if (there && there.status === 200) return
    const made = await this.server.control('POST', '/merchants', { clock: { mode: 'virtual' } })
    if (made?.status !== 201) throw new Error(`no merchant: ${made?.status} ${made?.text}`)
    this.#merchant = made.body.id
    const test: AccountKeys = made.body.accounts.find(
      ({ environment }: AccountKeys) => environment === 'test',
    )
    this.#keys = `Basic ${Buffer.from(`${test.public_key}:${test.secret_key}`).toString('base64')}`
  }

  /** Removes the merchants that inputs created, because there would be thousands. */
  static async sweep(server: TortureServer, drivers: readonly Driver[]): Promise<void> {
    const own = new Set(['default', ...drivers.map(driver => driver.#merchant)])
    const listed = await server.control('GET', '/merchants')
    for (const { id } of listed?.body?.data ?? [])
      if (!own.has(id)) await server.control('DELETE', `/merchants/${id}`)
  }

  /** Sends a damaged request. Returns what is wrong with the answer; undefined if nothing is. */
  async http(chance: Chance): Promise<string | undefined> {
    const isControl = chance.is(0.5)
    const operation = chance.of(isControl ? this.controlCalls : this.merchantCalls)
    const made = requestFor(chance, operation, this.#known)
    const path = made.path.replaceAll('{account}', this.#account)
    const authorization = isControl ? `Bearer ${this.server.controlToken}` : this.#keys
    const headers = chance.is(0.98) ? { authorization, ...made.headers } : made.headers
    const asked = { ...made, path, headers }
    const base = isControl ? this.server.controlUrl : this.server.url
    const shown = `${asked.method} ${path} ${JSON.stringify(made.headers)} ${made.body ?? ''}`.slice(0, 4000)
    const mostMs = /\/(advance|reset|import)|^\/merchants/.test(path) ? LONGEST_ADVANCE_MS : LONGEST_MS
    let answer = await this.#send(base + path, asked)
    for (let tries = 1; tries < TRIES && isSlow(answer, mostMs); tries++)
      answer = await this.#send(base + path, asked)
    if (path.includes('/faults')) await this.server.control('DELETE', `/accounts/${this.#account}/faults`)
    if (answer === 'not sent') return undefined
    if (typeof answer === 'string') return `${answer}: ${shown}`
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
    for (const [, id = ''] of answer.text.slice(0, 20_000).matchAll(ID)) this.#remember(id)
    if (answer.status >= 500 && answer.status !== 503) return `${answer.status} ${answer.text}: ${shown}`
    if (isSlow(answer, mostMs)) return `${Math.round(answer.ms)} ms: ${shown}`
    return undefined
  }

  #remember(id: string): void {
    if (this.#known.length < KNOWN) this.#known.push(id)
    else this.#known[Math.floor(this.statuses.size + id.length * 37) % KNOWN] = id
  }

  async #send(address: string, asked: FuzzRequest): Promise<Answered | Silence> {
    const answer = await this.#sendBy(this.#agent, address, asked)
    // The server may close an idle connection at the moment when it is used again.
    return answer === 'stale' ? (this.#sendBy(false, address, asked) as Promise<Answered | Silence>) : answer
  }

  #sendBy(
    agent: Agent | false,
    address: string,
    { method, headers, body }: FuzzRequest,
  ): Promise<Answered | Silence | 'stale'> {
    const from = performance.now()
    const bytes = body === undefined ? undefined : Buffer.from(body)
    return new Promise((resolve, reject) => {
      let outgoing: ReturnType<typeof request>
      try {
        outgoing = request(address, { method, agent, headers, timeout: LONGEST_ADVANCE_MS })
      } catch {
        // Node does not send such an address or header.
        return resolve('not sent')
      }
      outgoing.once('timeout', () => {
        resolve('silent')
        outgoing.destroy()
      })
      let isAnswered = false
      outgoing.once('error', cause => {
        // A body that a GET must not have is refused as the next request, after the answer to this one.
        if (isAnswered && 'code' in cause && cause.code === 'HPE_CLOSED_CONNECTION') return
        const isGone = 'code' in cause && cause.code === 'ECONNREFUSED'
        if (isGone) reject(new Error('the server has ended'))
        else resolve(outgoing.reusedSocket ? 'stale' : 'cut')
      })
      outgoing.once('response', incoming => {
        isAnswered = true
        const chunks: Buffer[] = []
        const answer = () =>
          resolve({
            status: incoming.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            ms: performance.now() - from,
          })
        incoming.on('data', chunk => chunks.push(chunk)).once('close', answer)
      })
      outgoing.end(bytes)
    })
  }

  /** Sends bytes that are almost a request. */
  async socket(chance: Chance): Promise<string | undefined> {
    const bytes = this.#bytes(chance)
    const said = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(this.server.url)
      const socket = connect(Number(port), hostname)
      let text = ''
      const timer = setTimeout(() => socket.destroy(), 25)
      socket.on('data', chunk => {
        text += chunk.toString('latin1')
        if (text.includes('\r\n\r\n')) socket.destroy()
      })
      socket.on('error', cause => {
        if ('code' in cause && cause.code === 'ECONNREFUSED') reject(new Error('the server has ended'))
      })
      socket.once('close', () => {
        clearTimeout(timer)
        resolve(text)
      })
      socket.write(bytes)
    })
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0)
    return status >= 500 && status !== 503 ? `${status}: ${bytes.toString('base64')}` : undefined
  }

  #bytes(chance: Chance): Buffer {
    const { host } = new URL(this.server.url)
    const body = '{"amount":"100","currency":"THB","country":"TH","customer":{}}'
    const head = [
      `${chance.of(['GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'CONNECT', 'PRI', 'x'])} ${chance.of([
        '/payment_intents',
        '/payment_intents/%ZZ',
        `http://${host}/payout_intents`,
        '*',
        '//x/../..',
        `/${'a'.repeat(chance.below(20_000))}`,
      ])} HTTP/${chance.of(['1.1', '1.0', '2.0', '9'])}`,
      `Host: ${chance.of([host, '', 'evil.example', `${host}\r\nHost: x`])}`,
      `Authorization: ${chance.of([this.#keys, 'Basic', 'Basic !', 'Bearer x'])}`,
      chance.of([
        `Content-Length: ${body.length}`,
        'Content-Length: -1',
        'Transfer-Encoding: chunked',
        'Expect: 100-continue',
        'X: \0',
        `X: ${'y'.repeat(chance.below(20_000))}`,
      ]),
      chance.of([
        'Content-Type: application/json',
        'Upgrade: h2c\r\nConnection: Upgrade',
        'Connection: close',
      ]),
    ]
    const whole = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
    return chance.is(0.7) ? damagedBytes(chance, whole) : whole
  }

  close(): void {
    this.#agent.destroy()
  }
}

const isSlow = (answer: Answered | Silence, mostMs: number): answer is Answered =>
  typeof answer !== 'string' && answer.ms > mostMs
