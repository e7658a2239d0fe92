import { ConnectError, readErrorBody } from '../../client/errors.ts'
import type { Answer } from '../../client/transport/transport.ts'
import type { DecisionKey } from '../../contract/decisions.ts'
import { type Evidence, type Exchange, type Outgoing, ProbeEndedError, type Session } from './session.ts'

/** A request that answers questions. It is sent once, however many questions need it. */
export interface ProbeRequest {
  /** What it makes or tries to change; missing if it only reads. */
  readonly writes?: string
  /** The request, or why it cannot be sent. */
  make(seen: Seen): Outgoing | string
  /** What in the answer contradicts the interface document. */
  contradiction?(answer: Answer, seen: Seen): string | undefined
  /** What a person must do before it is sent; undefined if it cannot be sent. */
  person?(seen: Seen): Errand | undefined
}

/** What a probe asks a person for. */
export interface Errand {
  /** In words that follow "open this page and". */
  readonly what: string
  readonly url: string
}

/** How one decision is read from outside. */
export interface Question {
  readonly key: DecisionKey
  /** The names of its requests, in the order in which they are sent. What they build on comes first. */
  readonly requests: readonly string[]
  /** The value that the answers show; or why they show none. */
  read(seen: Seen): Reading
  /** What a simulator shows, if no contract can change it. */
  readonly simulated?: string
}

/** Without a reason, it is the one for which a request was not sent. */
export type Reading = { readonly value: string } | { readonly why: string | undefined }

/** What is known so far. */
export interface Seen {
  /** The answer to a request; undefined if it was not sent. */
  answer(name: string): Answer | undefined
  /** A reference that says who made the record. */
  reference(name: string): string
  readonly createPath: string
  /** The environment that the prefix of the key fixes. */
  readonly environment: string
}

export interface Violation {
  readonly what: string
  readonly evidence: readonly Evidence[]
}

export interface Found {
  readonly key: DecisionKey
  readonly reading: { readonly value: string } | { readonly why: string }
  readonly evidence: readonly Evidence[]
}

interface InquirySettings {
  readonly session: Session
  readonly requests: Readonly<Record<string, ProbeRequest>>
  readonly allowWrites: boolean
  /** Different in each probe, so that its records are told apart. */
  readonly run: string
  readonly publicKey: string
  readonly createPath: string
  /** The first request, which was sent to find out whether the server is this API. */
  readonly first: Exchange
  /** Called before each request is sent. */
  readonly onRequest?: ((name: string) => void) | undefined
  /** Asks a person, and says whether it was done. Missing if nobody can be asked. */
  readonly onErrand?: ((errand: Errand) => Promise<boolean>) | undefined
}

/** Sends the requests of questions, each at most once, and keeps what came back. */
export class Inquiry {
  readonly violations: Violation[] = []
  readonly seen: Seen
  readonly #settings: InquirySettings
  readonly #outcomes: Map<string, Exchange | string>
  #end: string | undefined

  constructor(settings: InquirySettings) {
    this.#settings = settings
    const outcomes = new Map<string, Exchange | string>([[FIRST, settings.first]])
    this.#outcomes = outcomes
    this.seen = {
      answer(name) {
        const outcome = outcomes.get(name)
        return typeof outcome === 'object' ? outcome.answer : undefined
      },
      reference: name => `paysim-probe-${settings.run}-${name.replaceAll(' ', '-')}`,
      createPath: settings.createPath,
      environment: settings.publicKey.startsWith('pk_live_') ? 'live' : 'test',
    }
  }

  /** Why no more requests are sent; undefined while they are. */
  get end(): string | undefined {
    return this.#end
  }

  /** What came back for each request, or why it was not sent. */
  get outcomes(): ReadonlyMap<string, Exchange | string> {
    return this.#outcomes
  }

  async ask({ key, requests, read }: Question): Promise<Found> {
    for (const name of requests) await this.request(name)
    const evidence = requests.flatMap(name => {
      const outcome = this.#outcomes.get(name)
      return typeof outcome === 'object' ? [outcome.evidence] : []
    })
    const unsent = requests.map(name => this.#outcomes.get(name)).find(outcome => typeof outcome === 'string')
    const reading = evidence.length === 0 ? { why: undefined } : read(this.seen)
    const why = unsent ?? 'no answer shows it'
    return { key, evidence, reading: 'value' in reading ? reading : { why: reading.why ?? why } }
  }

  /** The answer to a request, sent now if it was not sent before. */
  async request(name: string, request = this.#settings.requests[name]): Promise<Answer | undefined> {
    if (!this.#outcomes.has(name)) {
      if (!request) throw new Error(`no request of a probe has the name ${name}`)
      this.#outcomes.set(name, await this.#outcome(name, request))
    }
    return this.seen.answer(name)
  }

  async #outcome(name: string, request: ProbeRequest): Promise<Exchange | string> {
    const { session, allowWrites, onRequest, onErrand } = this.#settings
    if (request.writes !== undefined && !allowWrites) return `needs --allow-writes: it ${request.writes}`
    const outgoing = request.make(this.seen)
    if (typeof outgoing === 'string') return outgoing
    if (this.#end !== undefined) return this.#end
    const errand = request.person?.(this.seen)
    if (errand && !(await onErrand?.(errand))) return `nobody did what it needs: to ${errand.what}`
    onRequest?.(name)
    try {
      const exchange = await session.send(outgoing)
      const { answer, evidence } = exchange
      // A limit says nothing about what was asked, and would be met again at once.
      if (answer.status === 429) throw new ProbeEndedError('the server takes no more requests (429)')
      if (answer.status >= 500) return `${evidence.request} failed: ${answer.status}`
      const what = request.contradiction?.(answer, this.seen)
      if (what !== undefined) this.violations.push({ what, evidence: [evidence] })
      return exchange
    } catch (error) {
      if (!(error instanceof ConnectError || error instanceof ProbeEndedError)) throw error
      this.#end = `the probe ended early: ${error.message}`
      return this.#end
    }
  }
}

/** The name of the request that shows whether a server is this API. */
const FIRST = 'methods'

/** Whether the server accepted the request, and said so in JSON. */
export const isSuccess = (answer: Answer | undefined): answer is Answer<object> =>
  answer !== undefined &&
  answer.status >= 200 &&
  answer.status < 300 &&
  typeof answer.body === 'object' &&
  answer.body !== null

export const codeOf = ({ body, status }: Answer): string => readErrorBody(Object(body), status).code

/** Status and code, as people read them. */
export function shown(answer: Answer | undefined): string {
  if (!answer) return 'no answer'
  return isSuccess(answer) ? String(answer.status) : `${answer.status} ${codeOf(answer)}`
}

/** The answer does not show it, with the answer as the reason. */
export const unclear = (answer: Answer | undefined, what: string): Reading => ({
  why: answer && `${what}: ${shown(answer)}`,
})

/** Whether a request was refused because of this field. A server may name no fields; then the code must suffice. */
export function isRefusedFor(answer: Answer | undefined, field: string): boolean {
  if (answer?.status !== 400) return false
  const { details } = readErrorBody(Object(answer.body), answer.status)
  const wanted = field.toLowerCase()
  return details.length === 0
    ? codeOf(answer) === 'validation_failed'
    : details.some(({ field: named, message }) => `${named} ${message}`.toLowerCase().includes(wanted))
}
