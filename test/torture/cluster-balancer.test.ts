import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claimPort } from '../../src/application/listening.ts'
import { callThrough, HOST, startNginx, whyNoNginx } from '../support/cluster/nginx.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { removeDirectory, type Server, startServer } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'
import { SECONDS, SEED, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'

/**
 * Three processes behind a real nginx with the configuration of docs/cluster.md. They are paused, and stopped and started
 * again, under load. A clean stop gives no caller an error. While one is paused, calls that may be repeated are answered in
 * time. Every order exists once.
 */

const reason = whyNoPostgres() ?? whyNoNginx()
if (reason !== undefined) console.warn(`The torture of a cluster behind nginx is left out here: ${reason}`)

const isShort = SECONDS <= 15
const CLIENTS = 6
/**
 * So many of them also send what may not be repeated, and such a call waits as long as the process that has it is paused.
 * Were it all of them, nothing could be answered before a pause ends.
 */
const CARELESS = 2
const STOPS = isShort ? 3 : Math.min(100, Math.ceil(SECONDS / 5))
const PAUSES = isShort ? 1 : Math.min(30, Math.ceil(SECONDS / 25))
/** What docs/cluster.md promises. The short form runs beside other tests, and checks the order only. */
const LONGEST_MS = isShort ? Number.POSITIVE_INFINITY : 6000
const TOKEN = 'the-token-of-the-whole-cluster'
const PAYMENT = paying('th_bank_transfer')

/** A process that is always started on the same port, as nginx knows it. */
interface Place {
  readonly start: () => Promise<void>
  server: Server
}

async function openPlaces(store: string): Promise<Place[]> {
  const places: Place[] = []
  for (let nth = 0; nth < 3; nth++) {
    const { port, release } = await claimPort()
    onTestFinished(release)
    const args = ['--public-url', `http://${HOST}`, '--control-token', TOKEN, '--port', String(port)]
    const start = () => startServer({ store, args })
    const place: Place = {
      server: await start(),
      start: async () => {
        await removeDirectory(place.server.dataDir)
        place.server = await start()
      },
    }
    onTestFinished(async () => {
      process.kill(place.server.pid, 'SIGCONT')
      await place.server.kill()
      await removeDirectory(place.server.dataDir)
    })
    places.push(place)
  }
  return places
}

type Calling = Awaited<ReturnType<typeof callThrough>>

/** What nginx says that it could not do. */
const errorsOf = async (socket: string) =>
  (await readFile(join(dirname(socket), 'errors'), 'utf8')).slice(-4000)

/** Clients that call one after the other, each for itself. */
class Load {
  readonly created = new Map<string, string>()
  readonly problems: string[] = []
  /** Calls that may be repeated, from their begin to their answer. */
  longestMs = 0
  /** How many calls that may be repeated began after the last pause, and were answered. */
  answered = 0
  unkeyed = 0
  maybe = 0
  calls = 0
  #isOver = false
  #orders = 0
  readonly #clients: Promise<unknown>

  constructor(
    private readonly socket: string,
    private readonly keys: Server['accounts'][number],
    private readonly chance: Chance,
    /** Whether a call without a key may have an unknown outcome now. */
    private readonly mayFail: () => boolean,
  ) {
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, nth) => this.#client(nth < CARELESS)))
  }

  async #client(isCareless: boolean): Promise<void> {
    while (!this.#isOver) {
      const known = [...this.created]
      if (known.length > 0 && this.chance.is(0.4)) await this.#read(this.chance.of(known))
      else if (!isCareless || this.chance.is(0.3)) await this.#create(this.#again(known))
      else await this.#createOnce()
    }
  }

  /** A new order, or one that is sent again. */
  #again(known: readonly (readonly [string, string])[]): string {
    if (known.length > 0 && this.chance.is(0.3)) return this.chance.of(known)[0]
    return `order ${this.#orders++}`
  }

  async #timed(act: () => Promise<Calling>): Promise<Calling | undefined> {
    const began = performance.now()
    this.calls++
    const answer = await act().catch((cause: Error) => {
      this.problems.push(`no answer: ${cause.message}`)
      return undefined
    })
    const took = performance.now() - began
    this.longestMs = Math.max(this.longestMs, took)
    this.answered++
    if (took > LONGEST_MS) this.problems.push(`a call that may be repeated took ${Math.round(took)} ms`)
    return answer
  }

  async #read([, id]: readonly [string, string]): Promise<void> {
    const path = `/payment_intents/${id}`
    const answer = await this.#timed(() => callThrough(this.socket, this.keys, 'GET', path))
    if (answer?.body?.id !== id) this.problems.push(`GET ${path}: ${answer?.status} ${answer?.text}`)
  }

  async #create(key: string): Promise<void> {
    const answer = await this.#timed(() =>
      callThrough(this.socket, this.keys, 'POST', '/payment_intents', { body: PAYMENT, key }),
    )
    const id = answer?.body?.id
    if (answer?.status !== 201) this.problems.push(`POST with ${key}: ${answer?.status} ${answer?.text}`)
    else if ((this.created.get(key) ?? id) !== id) this.problems.push(`${key} has two payments`)
    else this.created.set(key, id)
  }

  async #createOnce(): Promise<void> {
    const mayHaveFailed = this.mayFail()
    this.calls++
    const call = callThrough(this.socket, this.keys, 'POST', '/payment_intents', { body: PAYMENT })
    const answer = await call.catch((cause: Error) => ({ status: 0, text: cause.message }))
    if (answer.status === 201) this.unkeyed++
    else if (mayHaveFailed || this.mayFail()) this.maybe++
    else this.problems.push(`POST without a key: ${answer.status} ${answer.text}`)
  }

  /** Resolves when so many calls that may be repeated were answered from now on. */
  async moved(count: number): Promise<void> {
    const until = this.answered + count
    while (this.answered < until && this.problems.length === 0)
      await new Promise(resolve => setTimeout(resolve, 10))
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#clients
  }
}

test.skipIf(reason !== undefined)(
  'behind nginx, no pause holds up what may be repeated, and no clean stop fails a call',
  { timeout: TIMEOUT_MS },
  async () => {
    const tally = new Tally('balancer')
    const chance = new Chance(SEED)
    const postgres = await startPostgres()
    onTestFinished(() => postgres.end())
    const store = await postgres.newDatabase()
    const places = await openPlaces(store)
    const socket = await startNginx(places.map(({ server }) => server.listen))
    const [keys] = places[0]?.server.accounts ?? []
    if (!keys) throw new Error('no account')
    let isPaused = false
    const load = new Load(socket, keys, chance, () => isPaused)
    await load.moved(20)

    for (let nth = 0; nth < STOPS && load.problems.length === 0; nth++) {
      const place = chance.of(places)
      const code = await place.server.stop()
      if (code !== 0) load.problems.push(`exit code ${code}: ${place.server.stderr()}`)
      await load.moved(chance.below(20))
      await place.start()
      await load.moved(1 + chance.below(20))
      tally.add('stops')
    }
    expect(load.problems, await errorsOf(socket)).toEqual([])
    tally.add('calls during stops', load.calls)

    load.calls = 0
    load.longestMs = 0
    for (let nth = 0; nth < PAUSES && load.problems.length === 0; nth++) {
      const { pid } = chance.of(places).server
      isPaused = true
      process.kill(pid, 'SIGSTOP')
      // In the long form also such that end before nginx gives up, and such that are longer than all of its limits.
      if (!isShort) await new Promise(resolve => setTimeout(resolve, 500 + chance.below(12_000)))
      await load.moved(4 * CLIENTS)
      process.kill(pid, 'SIGCONT')
      await load.moved(4 * CLIENTS)
      tally.add('pauses')
    }
    await load.end()
    isPaused = false
    expect(load.problems, await errorsOf(socket)).toEqual([])
    tally.add('calls during pauses', load.calls)
    tally.add('longest wait in ms', Math.round(load.longestMs))

    expect(new Set(load.created.values()).size).toBe(load.created.size)
    const sql = `SELECT count(*) FROM paysim.entries WHERE account = '${keys.id}' AND line LIKE '%"PaymentCreated"%'`
    const kept = Number(await postgres.query(new URL(store).pathname.slice(1), sql))
    const certain = load.created.size + load.unkeyed
    expect(kept).toBeGreaterThanOrEqual(certain)
    expect(kept).toBeLessThanOrEqual(certain + load.maybe)
    tally.add('answered payments', certain)
    tally.write()
  },
)
