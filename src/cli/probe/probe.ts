import { randomBytes } from 'node:crypto'
import { isLive, type Keys } from '../../client/credentials.ts'
import { DECISIONS, type Decision, type DecisionKey } from '../../contract/decisions.ts'
import { ContractError, resolveContract } from '../../contract/resolve-contract.ts'
import { askFirst, checkGateway } from '../doctor/gateway.ts'
import { UnfitServerError, UsageError } from '../errors/cli-errors.ts'
import { CHANGE_QUESTIONS, CHANGES, PERSON_QUESTIONS } from './changes.ts'
import { afterCancel, cancelMade, type Made } from './cleaning.ts'
import { CREATION_QUESTIONS, CREATIONS } from './creations.ts'
import {
  type Errand,
  type Found,
  Inquiry,
  member,
  type ProbeRequest,
  type Question,
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
    if (member(first.exchange.answer.body, 'environment') === 'live')
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

/** A contract file must not have a value that a simulator refuses. */
function problemWith(key: DecisionKey, value: string): string | undefined {
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
