import type { ReceivedAnswer } from '../contract/wire-answer.ts'
import type { ArmedDisturbances } from './disturbance.ts'
import type { ApplicationRequest } from './request-once.ts'

/** A request of the payer's browser to the application, or of a program that looks at the payer's messages. */
export interface RecordedVisit {
  readonly what: 'return' | 'look ahead' | 'click'
  /** A method and a path, such as `GET /orders/1/return`. */
  readonly request: string
  /** The payment whose payer returns. */
  readonly payment?: string | undefined
  /** Whether the answer to the visit before led here. */
  readonly isRedirect?: true
  readonly step: number
  readonly startedAt: number
  endedAt: number
  /** 0 if there was no answer. */
  status: number
  /** The beginning of the answer, or why there was none. */
  answer: string
}

/** Where the payer of a payment returns to, and with which headers. */
export interface WayBack {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

interface PayerSettings {
  /** The URL of the application. */
  readonly shop: () => string
  readonly ask: (request: ApplicationRequest) => Promise<ReceivedAnswer>
  readonly wayBackOf: (payment: string) => Promise<WayBack | undefined>
  readonly disturbances: ArmedDisturbances
  readonly step: () => number
  /** Is called with each visit that the application must answer, whatever happened before it. */
  readonly judge: (visit: RecordedVisit) => void
}

/** The payer in front of a browser: comes back from the payment to the shop, and presses its buttons. */
export class Payer {
  readonly visits: RecordedVisit[] = []
  /** Payments that the payer decided, and that have a way back to the application. */
  readonly decided: { readonly payment: string; readonly step: number }[] = []
  /** Answers to a payer who came back before the step that says so. */
  readonly #ahead = new Map<string, ReceivedAnswer>()

  constructor(private readonly settings: PayerSettings) {}

  /** Notes that the payer approved or declined a payment, so that a browser could now go back to the shop. */
  async decides(payment: string): Promise<void> {
    const way = await this.settings.wayBackOf(payment)
    if (way && this.#pathIn(way.url) !== undefined) this.decided.push({ payment, step: this.settings.step() })
  }

  /** A step in which the payer returns. Undefined if the payer never comes back. */
  async returns(payment: string, way: WayBack): Promise<ReceivedAnswer | undefined> {
    const kinds = this.settings.disturbances.ofReturn()
    if (kinds.includes('return-never')) return undefined
    if (kinds.includes('return-prefetch')) await this.#lookAhead(payment, way)
    const ahead = this.#ahead.get(payment)
    this.#ahead.delete(payment)
    const answer = ahead ?? (await this.#visit(payment, way))
    if (kinds.includes('return-twice')) await this.#visit(payment, way)
    return answer
  }

  /** The payer comes back now, and not in the step that says so. */
  async comesBack(payment: string): Promise<void> {
    const way = await this.settings.wayBackOf(payment)
    if (!way || this.#pathIn(way.url) === undefined) return
    const isFirst = !this.visits.some(visit => visit.payment === payment)
    const answer = await this.#visit(payment, way)
    if (isFirst) this.#ahead.set(payment, answer)
  }

  /** Sends the request of a button: once, or as often as an impatient person presses it. */
  async presses(
    request: string,
    send: () => Promise<ReceivedAnswer>,
    isExpected: (answer: ReceivedAnswer) => boolean,
  ): Promise<[ReceivedAnswer, ...ReceivedAnswer[]]> {
    const kinds = this.settings.disturbances.ofClick()
    const press = async () => {
      const visit = this.#begin('click', request)
      const answer = this.#end(visit, await send())
      if (kinds.length > 0 && !isExpected(answer)) this.settings.judge(visit)
      return answer
    }
    const [first, second] = kinds.includes('click-twice')
      ? await Promise.all([press(), press()])
      : [await press()]
    // The person comes back when the gateway does, unless the press was served meanwhile.
    const wasAway = this.settings.disturbances.endOutage()
    if (wasAway && (!isExpected(first) || first.status >= 400)) return [await press(), first]
    const again = kinds.includes('click-again') ? [await press()] : []
    return [first, ...(second ? [second] : []), ...again]
  }

  /** Why the browser of this payer does not come to the application; undefined if it does. */
  whyNot(url: string): string | undefined {
    return this.#pathIn(url) === undefined
      ? `is not an address of the application, ${this.settings.shop()}: it must begin with that, as \`PORT\` says`
      : undefined
  }

  /** As a mail client or a chat does, to show what is behind a link: without the payer's cookies. */
  async #lookAhead(payment: string, { url, headers }: WayBack): Promise<void> {
    const own = Object.entries(headers).filter(([name]) => !PRIVATE.has(name.toLowerCase()))
    for (const method of ['HEAD', 'GET'] as const)
      await this.#open(payment, { url, headers: Object.fromEntries(own) }, 'look ahead', method)
  }

  #visit(payment: string, way: WayBack): Promise<ReceivedAnswer> {
    return this.#open(payment, way, 'return', 'GET')
  }

  /** Opens a page, and follows its redirects as long as they lead to the application. */
  async #open(
    payment: string,
    { url, headers }: WayBack,
    what: RecordedVisit['what'],
    method: 'GET' | 'HEAD',
  ): Promise<ReceivedAnswer> {
    const cookies = new Map<string, string>()
    let path = this.#pathIn(url) ?? '/'
    for (let redirects = 0; ; redirects++) {
      const visit = this.#begin(what, `${method} ${path}`, {
        payment,
        ...(redirects > 0 ? { isRedirect: true as const } : {}),
      })
      const sent = { ...(method === 'GET' ? BROWSER : LINK_PREVIEW), ...withCookies(headers, cookies) }
      const answer = this.#end(visit, await this.settings.ask({ method, path, headers: sent }))
      // Servers that do not know HEAD say so, which harms nobody.
      if (method === 'GET' || (answer.status >= 500 && answer.status !== NOT_IMPLEMENTED))
        this.settings.judge(visit)
      keepCookies(answer.headers['set-cookie'], cookies)
      const { location } = answer.headers
      const next = location !== undefined && REDIRECTS.has(answer.status) && this.#pathIn(location, path)
      if (!next || redirects === MOST_REDIRECTS) return answer
      path = next
    }
  }

  #begin(
    what: RecordedVisit['what'],
    request: string,
    more: Pick<RecordedVisit, 'payment' | 'isRedirect'> = {},
  ): RecordedVisit {
    const visit: RecordedVisit = {
      what,
      request,
      ...more,
      step: this.settings.step(),
      startedAt: performance.now(),
      endedAt: Number.POSITIVE_INFINITY,
      status: 0,
      answer: '',
    }
    this.visits.push(visit)
    return visit
  }

  #end(visit: RecordedVisit, answer: ReceivedAnswer): ReceivedAnswer {
    visit.endedAt = performance.now()
    visit.status = answer.status
    visit.answer = answer.lost ?? answer.text.slice(0, SHOWN_ANSWER)
    return answer
  }

  /** The path of an address of the application; undefined for any other address, which is never opened. */
  #pathIn(address: string, from = '/'): string | undefined {
    const shop = new URL(this.settings.shop())
    const base = new URL(from, shop)
    if (!URL.canParse(address, base.href)) return undefined
    const { protocol, hostname, port, pathname, search } = new URL(address, base)
    const isHere =
      protocol === shop.protocol &&
      port === shop.port &&
      (hostname === shop.hostname || (LOOPBACK.has(hostname) && LOOPBACK.has(shop.hostname)))
    return isHere ? pathname + search : undefined
  }
}

/** The first answer that is as expected; otherwise the first success, or else the first one. */
export function shownAnswer(
  answers: readonly [ReceivedAnswer, ...ReceivedAnswer[]],
  isExpected: (answer: ReceivedAnswer) => boolean,
): ReceivedAnswer {
  return answers.find(isExpected) ?? answers.find(({ status }) => status >= 200 && status < 300) ?? answers[0]
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** A connection of its own: some servers answer HEAD with a body, which nobody reads. */
const LINK_PREVIEW = { accept: '*/*', connection: 'close' }
const PRIVATE = new Set(['cookie', 'authorization'])
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** As many as browsers follow. */
const MOST_REDIRECTS = 20
const NOT_IMPLEMENTED = 501
const SHOWN_ANSWER = 500

function withCookies(
  headers: Readonly<Record<string, string>>,
  cookies: ReadonlyMap<string, string>,
): Record<string, string> {
  const { cookie, ...others } = headers
  const all = [...(cookie === undefined ? [] : [cookie]), ...[...cookies].map(pair => pair.join('='))]
  return all.length === 0 ? others : { ...others, cookie: all.join('; ') }
}

/** Several cookies come in one text, with commas between them and in their dates, which hold no `=`. */
function keepCookies(given: string | undefined, cookies: Map<string, string>): void {
  for (const cookie of given?.split(',') ?? []) {
    const [, name, value] = /^\s*([^=;]+)=([^;]*)/.exec(cookie) ?? []
    if (name !== undefined && value !== undefined) cookies.set(name, value)
  }
}
