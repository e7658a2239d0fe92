import { randomBytes } from 'node:crypto'
import { fill } from '../../client/address.ts'
import { isLive, type Keys } from '../../client/credentials.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { DECISIONS, type Decision, type DecisionKey, isDecisionKey } from '../../contract/decisions.ts'
import { memberAt } from '../../contract/json.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import { ContractError, resolveContract } from '../../contract/resolve-contract.ts'
import { askFirst, checkGateway } from '../doctor/gateway.ts'
import { UnfitServerError, UsageError } from '../errors/cli-errors.ts'
import type { Screen } from '../output/screen.ts'
import { visible, wrapTo } from '../output/text.ts'
import type { View } from '../output/view.ts'
import { CHANGE_QUESTIONS, CHANGES, contradictsCancellation, PERSON_QUESTIONS } from './changes.ts'
import { CREATION_QUESTIONS, CREATIONS, isCreated } from './creations.ts'
import {
  type Errand,
  type Found,
  Inquiry,
  isSuccess,
  type ProbeRequest,
  type Question,
  shown,
  type Violation,
} from './inquiry.ts'
import { READ_QUESTIONS, READS } from './reads.ts'
import { type Evidence, openSession, type Session, type SessionOptions } from './session.ts'

/** What a probe learned about a server. The names are on the wire. */
export interface ProbeReport {
  readonly answers: readonly { key: string; value: string; evidence: readonly Evidence[] }[]
  readonly unknown: readonly { key: string; why: string }[]
  /** What to put into the contract file of a simulator that answers like this server. */
  readonly contract: Readonly<Record<string, string>>
  readonly violations: readonly Violation[]
  /** The payments that the probe made, and whether the server accepted their cancellation. */
  readonly made: readonly Made[]
  readonly requests: number
}

export interface ProbeOptions extends Omit<SessionOptions, 'patienceMs'> {
  readonly keys: Keys
  readonly allowWrites: boolean
  readonly createPath: string
  /** Called before each request, with its place and how many there are. */
  readonly onProgress?: ((at: number, of: number) => void) | undefined
  /** Asks a person for what only a person can do, and says whether it was done. */
  readonly onErrand?: ((errand: Errand) => Promise<boolean>) | undefined
}

/** In order of value per request: what only reads, then what one payment shows, then what needs more. */
export function questionsOf({
  allowWrites,
  onErrand,
}: Pick<ProbeOptions, 'allowWrites' | 'onErrand'>): readonly Question[] {
  if (!allowWrites) return READ_QUESTIONS
  const again = new Set(WRITE_QUESTIONS.map(({ key }) => key))
  return [
    ...READ_QUESTIONS.filter(({ key }) => !again.has(key)),
    ...WRITE_QUESTIONS,
    ...(onErrand ? PERSON_QUESTIONS : []),
  ]
}

const WRITE_QUESTIONS = [...CREATION_QUESTIONS, ...CHANGE_QUESTIONS]
export const REQUESTS: Readonly<Record<string, ProbeRequest>> = { ...READS, ...CREATIONS, ...CHANGES }

const PATIENCE_MS = 60_000

/** What a server answered. */
export interface Inquired {
  readonly found: readonly Found[]
  readonly inquiry: Inquiry
  readonly made: readonly Made[]
  readonly session: Session
}

/** Asks a server how it decides what the interface document leaves open. Throws if it is not this API, or refuses the keys. */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { found, inquiry, made, session } = await inquire(options)
  return reportOf(found, { violations: inquiry.violations, made, requests: session.requests })
}

/** Sends every request of a probe. */
export async function inquire(options: ProbeOptions): Promise<Inquired> {
  const { keys, allowWrites, createPath, onProgress, onErrand, ...rest } = options
  if (isLive(keys.publicKey) || keys.secretKey.startsWith('sk_live_'))
    throw new UsageError('no live keys are accepted: give the keys of a test account')
  const questions = questionsOf(options)
  const planned = new Set(questions.flatMap(({ requests }) => requests)).size
  const session = openSession({ ...rest, keys, patienceMs: PATIENCE_MS })
  try {
    const first = await askFirst(session)
    for (const { verdict, message, advice, exit_code } of checkGateway(first, keys.publicKey))
      if (verdict === 'fault') throw new UnfitServerError([message, advice].join('; '), exit_code)
    if (memberAt(first.exchange.answer.body, 'environment') === 'live')
      throw new UsageError('the server says that these are live keys: give the keys of a test account')
    let asked = 0
    const inquiry = new Inquiry({
      session,
      requests: REQUESTS,
      allowWrites,
      run: randomBytes(4).toString('hex'),
      publicKey: keys.publicKey,
      createPath,
      first: first.exchange,
      onRequest: () => onProgress?.(++asked, Math.max(asked, planned)),
      onErrand,
    })
    const found: Found[] = []
    for (const question of questions) found.push(await inquiry.ask(question))
    let made = await cancelMade(inquiry)
    const ended = await afterCancel(inquiry, made, session.sleep)
    made = await cancelMade(inquiry, made)
    // What can be cancelled only now may show more.
    if (allowWrites)
      found.push('value' in ended.reading ? ended : await afterCancel(inquiry, made, session.sleep))
    return { found, inquiry, made, session }
  } finally {
    await session.close()
  }
}

function reportOf(
  found: readonly Found[],
  rest: Pick<ProbeReport, 'violations' | 'made' | 'requests'>,
): ProbeReport {
  const answers: ProbeReport['answers'][number][] = []
  const whys = new Map<DecisionKey, string>()
  const contract: Record<string, string> = {}
  for (const { key, reading, evidence } of found) {
    const why = 'why' in reading ? reading.why : problemWith(key, reading.value)
    if ('why' in reading || why !== undefined) {
      whys.set(key, why ?? '')
      continue
    }
    answers.push({ key, value: reading.value, evidence })
    if (DECISIONS[key].kind !== 'constant') contract[key] = reading.value
  }
  const unknown = Object.entries<Decision>(DECISIONS).flatMap(([key, decision]) =>
    answers.some(answer => answer.key === key)
      ? []
      : [{ key, why: whys.get(key as DecisionKey) ?? whyNotAsked(key, decision) }],
  )
  return { answers, unknown, contract, ...rest }
}

/** Why a contract file must not have a value: a simulator would refuse it. */
export function problemWith(key: DecisionKey, value: string | undefined): string | undefined {
  if (DECISIONS[key].kind === 'constant') return undefined
  try {
    resolveContract({ [key]: value })
    return undefined
  } catch (error) {
    if (error instanceof ContractError) return error.message
    throw error
  }
}

function whyNotAsked(key: string, decision: Decision): string {
  if (decision.unobservable !== undefined) return decision.unobservable
  if (decision.person !== undefined) return `needs --ask: ${decision.person}`
  if (decision.kind === 'constant') return 'no contract changes it, so no request asks'
  const question = WRITE_QUESTIONS.find(one => one.key === key)
  const writes = question?.requests.map(name => REQUESTS[name]?.writes).findLast(text => text !== undefined)
  return `needs --allow-writes: a probe ${writes ?? 'asks to cancel a payment that it made'}`
}

/** A payment that a probe made. */
export interface Made {
  readonly id: string
  readonly merchant_reference: string | null
  /** Whether its cancellation was accepted, or it has already ended. */
  readonly cancelled: boolean
  readonly why: string | null
  /** When it would have ended by itself, as far as the server says so. */
  readonly ends_at: string | null
}

/** The requests that cancelled a payment already, by the request that made it. */
export const CANCELLED_BY: Readonly<Record<string, string>> = {
  transfer: 'cancel during receipt',
  hosted: 'cancel without a method',
}

/** The pauses between reads of a payment that is being cancelled. */
const PAUSES_MS = [1000, 2000, 3000, 4000, 5000]

const FINAL = new Set(['succeeded', 'failed', 'expired'])

/** Cancels what the probe made. `earlier` has what could not be cancelled before, which may be possible now. */
async function cancelMade(inquiry: Inquiry, earlier: readonly Made[] = []): Promise<readonly Made[]> {
  const made = new Map(earlier.map(record => [record.id, record]))
  const round = earlier.length === 0 ? 1 : 2
  for (const name of Object.keys({ ...CREATIONS, ...CHANGES })) {
    const created = inquiry.seen.answer(name)
    if (!isPayment(created)) continue
    const id = String(memberAt(created.body, 'id'))
    const before = made.get(id)
    if (before && (round === 1 || before.why !== '422 invalid_state')) continue
    const asked = inquiry.seen.answer(CANCELLED_BY[name] ?? '')
    const isSettled = round === 1 && (isSuccess(asked) || name === 'hosted')
    const answer = isSettled ? asked : await cancel(inquiry, name, { id, round })
    const why = isSuccess(answer) ? null : ((answer ? undefined : inquiry.end) ?? shown(answer))
    made.set(id, madeOf(id, created.body, why))
  }
  return [...made.values()]
}

/** `why` is why its cancellation was not accepted; null if it was. */
export const madeOf = (id: string, payment: unknown, why: string | null): Made => ({
  id,
  merchant_reference: textOf(memberAt(payment, 'merchant_reference')),
  ends_at: textOf(memberAt(payment, 'next_action', 'expires_at')),
  cancelled: why === null,
  why,
})

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/** Not an answer about a payment, such as to a receipt, that was made under another name. */
const isPayment = (answer: Answer | undefined): answer is Answer<object> =>
  isCreated(answer) && memberAt(answer.body, 'object') === 'payment_intent'

async function cancel(
  inquiry: Inquiry,
  name: string,
  { id, round }: { readonly id: string; readonly round: number },
): Promise<Answer | undefined> {
  const path = fill(OPERATION_PATHS.cancelPayment.path, { id })
  return inquiry.request(`cancel ${name}${round === 1 ? '' : ' again'}`, {
    writes: 'asks to cancel a payment that the probe made',
    make: () => ({ method: 'POST', path, body: {} }),
    contradiction: contradictsCancellation,
  })
}

/** Reads one cancelled payment until it has ended, for a while. */
async function afterCancel(
  inquiry: Inquiry,
  made: readonly Made[],
  sleep: (ms: number) => Promise<void>,
): Promise<Found> {
  const key = 'payment.after_cancel'
  const cancelled = made.filter(record => record.cancelled)
  const first = cancelled.find(({ ends_at }) => ends_at !== null) ?? cancelled[0]
  if (!first) return { key, evidence: [], reading: { why: inquiry.end ?? 'no payment could be cancelled' } }
  const path = fill(OPERATION_PATHS.getPayment.path, { id: first.id })
  const names: string[] = []
  for (const [at, pause] of [0, ...PAUSES_MS].entries()) {
    if (pause > 0) await sleep(pause)
    const name = `cancelled ${first.id} ${at}`
    names.push(name)
    const answer = await inquiry.request(name, { make: () => ({ method: 'GET', path }) })
    if (!answer || FINAL.has(String(memberAt(answer.body, 'status')))) break
  }
  return inquiry.ask({
    key,
    requests: names.slice(-1),
    read: seen => {
      const body = seen.answer(names.at(-1) ?? '')?.body
      const status = memberAt(body, 'status')
      if (status === 'failed') return { value: 'failed' }
      if (status !== 'expired')
        return { why: `the payment was ${status} after ${PAUSES_MS.reduce((a, b) => a + b) / 1000} s` }
      // A payment whose time was over says nothing about cancellations.
      return Date.parse(String(memberAt(body, 'updated_at'))) < Date.parse(String(first.ends_at))
        ? { value: 'expired' }
        : { why: 'the payment expired, perhaps by itself' }
    },
  })
}

/** What was found, what was not, and what else somebody must know. */
export const probeView: View<ProbeReport> = {
  human: ({ answers, unknown, violations, made, requests }, screen) => {
    const left = made.filter(({ cancelled }) => !cancelled)
    // `paysim contract` lists the constants, which no contract file can have.
    const open = unknown.filter(({ key }) => !isDecisionKey(key) || DECISIONS[key].kind !== 'constant')
    return [
      ...section(
        'Found',
        answers.map(({ key, value }) => [key, value]),
        screen,
      ),
      ...section(
        'Unknown',
        open.map(({ key, why }) => [key, why]),
        screen,
      ),
      ...section(
        'Contradicts the interface document',
        violations.map(({ what, evidence }) => [what, evidence.map(({ request }) => request).join(', ')]),
        screen,
      ),
      ...section(
        'Made, and not cancelled',
        left.map(({ id, why }) => [id, why ?? '']),
        screen,
      ),
      `${count(requests, 'request')}, ${count(answers.length, 'answer')}, ${count(made.length, 'payment')} made, ${count(violations.length, 'contradiction')}.`,
    ].join('\n')
  },
  rows: ({ answers, unknown }) => [
    ...answers.map(({ key, value }) => ({ key, value, why: null })),
    ...unknown.map(({ key, why }) => ({ key, value: null, why })),
  ],
  csv: ['key', 'value', 'why'],
}

const LEAST = 24
const GAP = 2

export function section(title: string, rows: readonly (readonly string[])[], screen: Screen): string[] {
  if (rows.length === 0) return []
  const labels = Math.min(
    rows.reduce((most, [label = '']) => Math.max(most, screen.widthOf(visible(label))), 0),
    Math.max(LEAST, Math.floor(screen.width / 2)),
  )
  const room = Math.max(LEAST, screen.width - labels - GAP * 2)
  return [
    screen.paint.bold(title),
    ...rows.flatMap(([label = '', text = '']) => {
      const [first = '', ...more] = wrapTo(visible(text), room, screen.widthOf)
      const name = visible(label)
      const gap = ' '.repeat(Math.max(GAP, labels - screen.widthOf(name) + GAP))
      return [
        `${' '.repeat(GAP)}${name}${gap}${first}`.trimEnd(),
        ...more.map(line => `${' '.repeat(GAP + labels + GAP)}${line}`),
      ]
    }),
    '',
  ]
}

export const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`
