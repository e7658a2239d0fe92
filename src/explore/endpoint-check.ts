import { randomBytes } from 'node:crypto'
import type { Agent } from 'undici'
import type { EndpointKind, Forgery } from '../application/disturbance.ts'
import {
  isSuccess,
  isTimedOut,
  postWebhook,
  shortLivedConnections,
  type WebhookReply,
} from '../application/request-once.ts'
import {
  type EventBody,
  forged,
  ofUnknownType,
  posted,
  sampleEvent,
  sentAgain,
  type WebhookMessage,
  withUnknownFields,
} from '../application/webhook-variants.ts'
import { ExpectedChange, ObservedState, type PrintState, type Subject } from './observed-state.ts'

export interface EndpointSettings {
  readonly url: string
  readonly secret: string
  readonly kinds: readonly EndpointKind[]
  /** The event to send, for a record that the application knows. Without it, payments are invented. */
  readonly event?: EventBody | undefined
  readonly state?: PrintState | undefined
  /** How long the state may take to change after an answer. */
  readonly withinMs: number
}

/** One request to the endpoint, and its answer. */
interface EndpointExchange extends WebhookReply {
  readonly sent: string
  readonly ms: number
}

export interface EndpointVerdict {
  readonly kind: EndpointKind | 'plain'
  readonly exchanges: readonly EndpointExchange[]
  readonly problems: readonly string[]
}

export interface EndpointReport {
  readonly verdicts: readonly EndpointVerdict[]
  /** Notes that limit the meaning of the results. */
  readonly notes: readonly string[]
}

/** The endpoint accepts no connections, or does not speak HTTP. */
export class EndpointUnreachableError extends Error {}

/** How many ordinary events to compare, to find out what differs each time. */
const PLAIN_EVENTS = 3
const DAY_MS = 24 * 60 * 60 * 1000
const NOTHING = ExpectedChange.nothing

/** Sends one endpoint an ordinary event, and then each kind of disturbance. */
export async function checkEndpoint(settings: EndpointSettings): Promise<EndpointReport> {
  const agent = shortLivedConnections()
  const state = settings.state && new ObservedState(settings.state, settings.withinMs)
  const round = async () => {
    const event = settings.event ?? sampleEvent('payment.succeeded')
    await state?.begin(subjectOf(event))
    return new Round(settings, agent, event, state)
  }
  try {
    const { verdict: plain, notes } = await sendPlain(settings, round, state)
    if (plain.problems.length > 0) return { verdicts: [plain], notes }
    const verdicts = [plain]
    for (const kind of settings.kinds) {
      const one = await round()
      await CHECKS[kind](one)
      verdicts.push({ kind, exchanges: one.exchanges, problems: one.problems })
    }
    return { verdicts, notes }
  } finally {
    await agent.destroy()
  }
}

/** Ordinary events come first: the endpoint must accept them, and its state shows what one of them changes. */
async function sendPlain(
  { url, event }: EndpointSettings,
  begin: () => Promise<Round>,
  state: ObservedState | undefined,
): Promise<{ verdict: EndpointVerdict; notes: string[] }> {
  const exchanges: EndpointExchange[] = []
  const changes: (readonly string[])[] = []
  for (let left = event || !state ? 1 : PLAIN_EVENTS; left > 0; left--) {
    const round = await begin()
    const exchange = await round.send('an ordinary event', round.message)
    exchanges.push(exchange)
    if (exchanges.length === 1 && isUnreachable(exchange))
      throw new EndpointUnreachableError(`${url} did not answer: ${exchange.answer}`)
    if (!isSuccess(exchange.status)) {
      const problems = [`${answered(exchange)}. ${adviceFor(exchange)}`]
      const note = 'Nothing else was sent: the endpoint must first accept an ordinary, signed event.'
      return { verdict: { kind: 'plain', exchanges, problems }, notes: [note] }
    }
    if (state) changes.push(await state.settle())
  }
  const notes = state ? learn(state, changes, event !== undefined) : [NO_STATE]
  return { verdict: { kind: 'plain', exchanges, problems: [] }, notes }
}

const NO_STATE =
  'Only the answers were checked. With --state, what the application did is checked as well, such as whether it shipped twice.'

/** What one ordinary event changes. If that event is repeated, it must change nothing more. */
function learn(
  state: ObservedState,
  changes: readonly (readonly string[])[],
  isSameEvent: boolean,
): string[] {
  state.usual = isSameEvent ? NOTHING : ExpectedChange.from(changes.at(-2) ?? [], changes.at(-1) ?? [])
  if (changes.every(change => change.length === 0))
    return [
      'An ordinary event did not change the state. If the application does not know the payment, use --event to send an event about a payment that it knows.',
    ]
  if (state.usual) return []
  return ['Ordinary events changed the state in different ways, so only repeated events were compared.']
}

const isUnreachable = (exchange: EndpointExchange) => exchange.status === 0 && !isTimedOut(exchange)

const answered = ({ sent, status, answer }: EndpointExchange) =>
  status === 0 ? `${sent} got no answer: ${answer}` : `${sent} was answered ${status}`

function adviceFor({ status }: EndpointExchange): string {
  if (status === 0) return 'Answer first, and do slow work later'
  if (status === 401 || status === 403)
    return 'Check that the application has this secret, and that it verifies the raw bytes of the body'
  if (status === 404)
    return 'Check the path. If the application does not know the payment, use --event to send an event about a payment that it knows'
  if (status < 400) return 'The gateway does not follow redirects: give the URL that answers 2xx'
  return 'See the output of the application'
}

/** One event, all messages about it, and the problems of the answers and the state. */
class Round {
  readonly exchanges: EndpointExchange[] = []
  readonly problems: string[] = []
  /** What the event changed, if ordinary events do not show what it must change. */
  #own: ExpectedChange | undefined

  constructor(
    private readonly settings: EndpointSettings,
    private readonly agent: Agent,
    readonly event: EventBody,
    private readonly state: ObservedState | undefined,
  ) {}

  get secret(): string {
    return this.settings.secret
  }

  get message(): WebhookMessage {
    return posted(this.event, this.secret)
  }

  async send(sent: string, message: WebhookMessage): Promise<EndpointExchange> {
    const startedAt = performance.now()
    const reply = await postWebhook(this.settings.url, message, this.agent)
    const exchange = { sent, ...reply, ms: performance.now() - startedAt }
    this.exchanges.push(exchange)
    return exchange
  }

  /** Sends a message that the gateway could send: only a 2xx ends its attempts. */
  async sendTrue(sent: string, message: WebhookMessage): Promise<void> {
    const exchange = await this.send(sent, message)
    if (!isSuccess(exchange.status)) this.problems.push(answered(exchange))
  }

  /** The answer to a stranger's message may be anything, if the message changes nothing. */
  async sendForged(sent: string, message: WebhookMessage): Promise<void> {
    const exchange = await this.send(sent, message)
    if (isSuccess(exchange.status) && !this.state)
      this.problems.push(`${answered(exchange)}: it was accepted`)
  }

  /** The state must be as after one ordinary event. */
  async mustBeUsual(what: string, ignoring?: string): Promise<void> {
    const expected = this.state?.usual ?? this.#own
    if (expected) await this.#must(expected, what, ignoring)
    else if (this.state) this.#own = ExpectedChange.exactly(await this.state.settle())
  }

  async mustBeUnchanged(what: string, ignoring?: string): Promise<void> {
    await this.#must(NOTHING, what, ignoring)
  }

  async #must(expected: ExpectedChange, what: string, ignoring?: string): Promise<void> {
    const change = await this.state?.otherThan(expected, ignoring)
    if (!change) return
    const list = (lines: readonly string[]) => (lines.length === 0 ? 'nothing' : lines.join(', '))
    this.problems.push(`${what} changed the state: ${list(change)} instead of ${list(expected.lines)}`)
  }
}

/** Sends a stranger's message before the real event, and another one after it. */
const forgery = (kind: Forgery, words: string) => async (round: Round) => {
  const { message, secret } = round
  await round.sendForged(`the opposite outcome, ${words},`, forged(message, kind, 'before', secret))
  await round.mustBeUnchanged(`The opposite outcome, ${words},`)
  await round.sendTrue('the real event', message)
  await round.mustBeUsual('The real event after it')
  await round.sendForged(
    `the opposite outcome, ${words}, after the real one`,
    forged(message, kind, 'after', secret),
  )
  await round.mustBeUsual(`The opposite outcome, ${words}, after the real one`)
}

const CHECKS: Readonly<Record<EndpointKind, (round: Round) => Promise<void>>> = {
  async 'webhook-twice'(round) {
    await round.sendTrue('the event', round.message)
    await round.mustBeUsual('The event')
    await round.sendTrue('the same event again', sentAgain(round.message, round.secret))
    await round.mustBeUsual('The same event again')
  },
  async 'webhook-twice-at-once'(round) {
    const { message } = round
    const both = await Promise.all(
      ['the event', 'the same event at the same moment'].map(sent => round.send(sent, message)),
    )
    const refused = both.filter(({ status }) => !isSuccess(status))
    // One of the two may have to wait for the other, so retry it.
    const isServerError = ({ status }: EndpointExchange) => status === 0 || status >= 500
    if (refused.length === 2 || refused.some(isServerError)) round.problems.push(...refused.map(answered))
    else if (refused.length > 0)
      await round.sendTrue('the same event again', sentAgain(message, round.secret))
    await round.mustBeUsual('The same event twice at the same moment')
  },
  async 'webhook-order'(round) {
    const earlier = updateBefore(round.event)
    await round.sendTrue(`${round.event.type}`, round.message)
    await round.mustBeUsual('The later event')
    await round.sendTrue(`the earlier ${earlier.type}, after it`, posted(earlier, round.secret))
    await round.mustBeUsual(`The earlier ${earlier.type}, after ${round.event.type},`, earlier.id)
  },
  async 'webhook-late'(round) {
    const at = new Date(Date.parse(round.event.timestamp) - 3 * DAY_MS).toISOString()
    await round.sendTrue(
      'an event that is three days old, signed now,',
      posted({ ...round.event, timestamp: at }, round.secret),
    )
    await round.mustBeUsual('An event that is three days old')
  },
  async 'webhook-lost-answer'(round) {
    await round.sendTrue('the event', round.message)
    await round.mustBeUsual('The event')
    const other = ofUnknownType(round.message, 'before', round.secret)
    await round.send('another event', other)
    await round.sendTrue(
      'the same event again, after another one,',
      sentAgain(round.message, round.secret, 5),
    )
    await round.mustBeUsual('The same event again, after another one,', idOf(other))
  },
  async 'webhook-unknown-field'(round) {
    await round.sendTrue(
      'an event with members that no version has yet',
      withUnknownFields(round.message, round.secret),
    )
    await round.mustBeUsual('An event with members that no version has yet')
  },
  async 'webhook-unknown-type'(round) {
    const unknown = ofUnknownType(round.message, 'before', round.secret)
    await round.sendTrue('an event of a type that no version has yet', unknown)
    await round.mustBeUnchanged('An event of a type that no version has yet', idOf(unknown))
    await round.sendTrue('the event', round.message)
    await round.mustBeUsual('The event', idOf(unknown))
  },
  'webhook-forged': forgery('webhook-forged', 'signed with another secret'),
  'webhook-unsigned': forgery('webhook-unsigned', 'without a signature'),
  'webhook-stale': forgery('webhook-stale', 'signed a week ago'),
}

const idOf = ({ headers }: WebhookMessage) => headers['webhook-id'] ?? ''

function subjectOf({ id, data }: EventBody): Subject {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : `no-${id}`)
  return { event: id, payment: text(data.id), reference: text(data.merchant_reference) }
}

/** The same record just before its end. */
function updateBefore(event: EventBody): EventBody {
  const [record] = event.type.split('.')
  const at = new Date(Date.parse(event.timestamp) - 1000).toISOString()
  return {
    ...event,
    id: `evt_${randomBytes(12).toString('hex')}`,
    type: `${record}.updated`,
    timestamp: at,
    data: { ...event.data, status: 'processing', updated_at: at },
  }
}
