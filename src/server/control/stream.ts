import type { RequestRecord, StreamChange, StreamData, StreamEvent } from '../../contract/control/journal.ts'
import { withoutSecrets } from '../../contract/redact.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import type { Account } from '../../engine/account/account.ts'
import { readLine } from '../../engine/journal/journal-format.ts'
import { Slice } from '../../engine/time/scheduling.ts'
import { type EventStream, MOST_WAITING } from '../http/event-stream.ts'
import type { Request } from '../http/request.ts'
import { one } from '../lists.ts'
import { notFound, refuseProblems } from '../refusal.ts'
import { type ControlHandlers, type ControlSettings, param } from './control-call.ts'
import { entryView } from './views.ts'

/** What happens in an account, as it happens. */
export function streamCalls({ gateway, requests, streams }: ControlSettings) {
  return {
    'GET /accounts/:account/stream': ({ runtime, request, reply }) => {
      const { account } = runtime
      const changes = request.query.as === 'changes'
      const after = changes ? undefined : continuesAfter(account, request)
      let last = after ?? account.world.seq
      const finalText = () =>
        textOf('overflow', {
          account: account.id,
          seq: last,
          message: changes ? FELL_BEHIND : `${FELL_BEHIND}; ${CONTINUE}`,
        })
      const stream = streams.begin(request, reply, { finalText })
      const hello = (from?: number) =>
        stream.send(
          textOf('hello', {
            account: account.id,
            seq: account.world.seq,
            ...(from === undefined ? {} : { after: from }),
          }),
        )
      hello(after)
      // A stream starts again too: after a reset or an import, earlier entries no longer exist.
      const replaced = account.onReplaced(() => {
        last = account.world.seq
        hello()
      })
      const removed = gateway.onMerchants(() => {
        if (gateway.account(account.id) === undefined) stream.end()
      })
      const stops = [...(changes ? sendChanges() : sendEverything()), replaced, removed]
      stream.onOver(() => {
        for (const stop of stops) stop()
      })
      return reply

      function sendChanges() {
        const gathered = new Changes(data => stream.send(textOf('change', data)))
        return [
          account.onEntry(entry => gathered.entry(entry)),
          account.clock.onJump(() => gathered.about('clock')),
          requests.onRequest(record => record.account === account.id && gathered.request()),
          gateway.holds.onChange(changed => changed === account.id && gathered.about('holds')),
          gateway.onMerchants(() => {
            gathered.about('merchants')
            if (gateway.account(account.id) === undefined) gathered.send()
          }),
        ]
      }

      function sendEverything() {
        const send = (entry: Entry) => {
          last = entry.seq
          stream.send(textOfEntry(entry))
        }
        const missed = after === undefined ? undefined : new MissedEntries(account, stream, after, send)
        return [
          account.onEntry(entry => {
            if (missed?.hold(entry) !== true) send(entry)
          }),
          account.onReplaced(() => missed?.forget()),
          requests.onRequest(record => {
            if (record.account === account.id) stream.send(textOfRequest(record))
          }),
        ]
      }
    },
  } satisfies Partial<ControlHandlers>
}

const FELL_BEHIND = `more than ${MOST_WAITING / 1024 / 1024} MiB waited for you to read it, so this stream has ended`
const CONTINUE =
  'connect again with the id of the last entry that you got as Last-Event-ID to get all entries after it'

const textOf = <E extends StreamEvent>(event: E, data: StreamData<E>, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${withoutSecrets(JSON.stringify(data))}\n\n`

/** All readers of an account get the same text, one after another. */
function once<T>(make: (value: T) => string): (value: T) => string {
  let last: { readonly value: T; readonly text: string } | undefined
  return value => {
    if (last?.value !== value) last = { value, text: make(value) }
    return last.text
  }
}
const textOfEntry = once((entry: Entry) => textOf('entry', entryView(entry), entry.seq))
const textOfRequest = once((record: RequestRecord) => textOf('request', record))

/**
 * The entry behind which the stream goes on: the last one that its reader got, if the journal still has what follows, and
 * otherwise the one before the oldest that is kept.
 */
function continuesAfter({ world, journal }: Account, { headers }: Request): number | undefined {
  const given = headers['last-event-id']
  if (given === undefined) return undefined
  if (typeof given !== 'string' || !/^\d{1,15}$/.test(given))
    throw refuseProblems([
      { field: 'Last-Event-ID', message: 'must be the id of an entry, which is its seq' },
    ])
  const oldest = journal.keptFrom - 1
  // A number that the account has not reached is of a history that was reset or replaced.
  return Number(given) > world.seq ? oldest : Math.max(Number(given), oldest)
}

/** How many new entries are kept until the stream has come to them. */
const MOST_HELD = 256
const SEQ = /"seq":(\d+)/

/** Sends the entries that a reader missed, from the journal, as fast as it reads them. New ones wait until it has them. */
class MissedEntries {
  #held: Entry[] = []
  #isDone = false
  #sent: number

  constructor(
    private readonly account: Account,
    private readonly stream: EventStream,
    after: number,
    private readonly send: (entry: Entry) => void,
  ) {
    this.#sent = after
    void this.#sendAll().catch(() => stream.end())
  }

  /** Whether the entry waits here. */
  hold(entry: Entry): boolean {
    if (this.#isDone) return false
    this.#held.push(entry)
    // It will be read from the journal.
    if (this.#held.length > MOST_HELD) this.#held.shift()
    return true
  }

  /** Another history has replaced what was missed. */
  forget(): void {
    this.#isDone = true
    this.#held = []
  }

  async #sendAll(): Promise<void> {
    while (!this.#isOver) {
      if ((this.#held[0]?.seq ?? this.account.world.seq + 1) <= this.#sent + 1) return this.#sendHeld()
      await this.#sendFromJournal()
    }
  }

  get #isOver(): boolean {
    return this.#isDone || this.stream.isOver
  }

  #sendHeld(): void {
    this.#isDone = true
    for (const entry of this.#held) if (entry.seq > this.#sent) this.send(entry)
    this.#held = []
  }

  async #sendFromJournal(): Promise<void> {
    await this.account.settled()
    const slice = new Slice()
    for await (const line of this.account.journal.lines()) {
      if (slice.isOver) await slice.next()
      if (this.#isOver) return
      if (Number(SEQ.exec(line)?.[1]) <= this.#sent) continue
      const entry = readLine(line)
      this.send(entry)
      this.#sent = entry.seq
      await this.stream.drained
    }
  }
}

/** How long changes are collected before they are sent. */
const GATHERING_MS = 100
/** With more changed records than this, the ids are left out. */
const MOST_NAMED = 200

/** A stream that reports that something changed, not what: at most ten times a second. */
class Changes {
  readonly #about = new Set<string>()
  readonly #records = new Set<string>()
  #seq = 0
  #requests = 0
  #waiting = false

  constructor(private readonly tell: (change: StreamChange) => void) {}

  entry({ seq, events }: Entry): void {
    this.#seq = seq
    for (const event of events) {
      this.#about.add(subjectOf(event))
      if (this.#records.size > MOST_NAMED) continue
      if ('payment' in event) this.#records.add(event.payment)
      else if ('payout' in event) this.#records.add(event.payout)
    }
    this.#scheduleSend()
  }

  about(subject: 'clock' | 'holds' | 'merchants'): void {
    this.#about.add(subject)
    this.#scheduleSend()
  }

  request(): void {
    this.#requests++
    this.#scheduleSend()
  }

  #scheduleSend(): void {
    if (this.#waiting) return
    this.#waiting = true
    setTimeout(() => this.send(), GATHERING_MS)
  }

  /** Sends what was gathered so far. */
  send(): void {
    this.#waiting = false
    if (this.#about.size === 0 && this.#requests === 0) return
    const records = this.#records.size > MOST_NAMED ? null : [...this.#records]
    this.tell({ seq: this.#seq, requests: this.#requests, about: [...this.#about], records })
    this.#about.clear()
    this.#records.clear()
    this.#requests = 0
  }
}

function subjectOf(event: DomainEvent): string {
  if ('payment' in event) return 'payments'
  if ('payout' in event) return 'payouts'
  switch (event.type) {
    case 'TimerSet':
    case 'TimerFired':
      return 'timers'
    case 'ClockSet':
      return 'clock'
    case 'EventEmitted':
    case 'EndpointAdded':
    case 'EndpointSecretsSet':
    case 'EndpointDisabled':
    case 'EndpointRemoved':
    case 'DeliveryQueued':
    case 'DeliveryMoved':
    case 'AttemptStarted':
    case 'AttemptEnded':
      return 'webhooks'
    case 'RulesReplaced':
    case 'RulesPutInFront':
    case 'RulesConsulted':
    case 'FaultsReplaced':
    case 'FaultsCounted':
      return 'script'
    case 'CatalogueReplaced':
    case 'ProviderHealthSet':
      return 'catalogue'
    case 'AssetStored':
    case 'AnswerKept':
      return 'books'
  }
}

/** A record's entries, and the last requests. */
export function journalCalls({ requests }: ControlSettings) {
  return {
    'GET /accounts/:account/history/:id': async ({ runtime, request, answer }) => {
      const { account } = runtime
      const { world, journal } = account
      const id = param(request, 'id')
      const entries = await journal.history(id)
      const { keptFrom } = journal
      const { payments, payouts, assets, events, deliveries, endpoints } = world
      const all = [payments, payouts, assets, events, deliveries, endpoints]
      // If all entries of a record are too old, its history is empty.
      const isKnown = entries.length > 0 || (keptFrom > 1 && all.some(records => records.has(id)))
      if (!isKnown) throw notFound('record')
      const data = withoutSecretsIn(entries.map(entryView))
      return answer(200, keptFrom === 1 ? { data } : { data, kept_from: keptFrom })
    },

    'GET /accounts/:account/requests': ({ runtime, request, answer }) =>
      answer(200, { data: requests.of(runtime, one(request, 'q')) }),

    'GET /accounts/:account/requests/:id': ({ runtime, request, answer }) => {
      const found = requests.find(runtime, param(request, 'id'))
      if (!found) throw notFound('request in the log of recent requests')
      return answer(200, found)
    },
  } satisfies Partial<ControlHandlers>
}

const withoutSecretsIn = <T>(shown: T): T => JSON.parse(withoutSecrets(JSON.stringify(shown)))
