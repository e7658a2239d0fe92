import { readBaseUrl } from '../../client/address.ts'
import { chooseProxy } from '../../client/transport/open-transport.ts'
import type { Contract } from '../../contract/decisions.ts'
import { answerOf, resolveContract } from '../../contract/resolve-contract.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { Inquiry, type Question } from '../probe/inquiry.ts'
import { READ_QUESTIONS, READS } from '../probe/reads.ts'
import { type Exchange, NOBODY, openSession, type Session } from '../probe/session.ts'
import type { TargetFlags } from '../where/flags.ts'
import type { Merchant } from '../where/merchant.ts'
import { type Where, whereIs } from '../where/where.ts'
import { askFirst, checkGateway } from './gateway.ts'
import { checkNetwork, checkNode, checkProfiles, checkSimulator } from './network.ts'
import { type Check, ok, problem, warning } from './report.ts'
import { checkStore } from './store.ts'

export interface DoctorFlags extends TargetFlags {
  /** Checks this store, and no API. */
  readonly store?: string
}

/** Checks everything that a call depends on, from this machine to the server. Checks that depend on a failed one are skipped. */
export async function* examine(flags: DoctorFlags, signal: AbortSignal): AsyncGenerator<Check> {
  yield checkNode()
  if (flags.store !== undefined) return yield* checkStore(flags.store, '--store', signal)
  yield* checkProfiles()
  yield* checkTarget(flags, signal)
  yield* checkSimulator(signal)
  const { PAYSIM_STORE } = process.env
  if (PAYSIM_STORE) yield* checkStore(PAYSIM_STORE, 'PAYSIM_STORE', signal)
}

async function* checkTarget(flags: TargetFlags, signal: AbortSignal): AsyncGenerator<Check> {
  try {
    // Without keys, the network can still be checked.
    const where = whereIs(flags)
    yield* describe(await where.merchant(NOBODY))
    yield* checkServer(where, flags, signal)
  } catch (cause) {
    if (signal.aborted) throw cause
    const advice = 'fix this, and run `paysim doctor` again'
    yield problem('target', messageOf(cause), { advice, exitCode: exitCodeOf(cause) })
  }
}

async function* describe({ baseUrl, keys, from, choice }: Merchant): AsyncGenerator<Check> {
  yield ok('target', `${baseUrl}, from ${from.baseUrl}`)
  yield* describeChoice(choice)
  if (keys === NOBODY)
    return yield problem('credentials', 'no keys for this base URL', {
      advice:
        'set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY, give --key-file, or create a profile with `paysim init`',
      exitCode: EXIT.usage,
    })
  yield ok('credentials', `${keys.publicKey}, from ${from.keys}`)
}

async function* describeChoice({ others, named }: Merchant['choice']): AsyncGenerator<Check> {
  const places = (await others()).map(({ url, name }) => `${url} (${name})`)
  if (places.length === 0) return
  const what = `calls could also go to ${places.join(' or ')}`
  yield named
    ? ok('others', what)
    : warning('others', what, 'choose one with --base-url, --profile, --account or PAYSIM_DATA')
}

const CONNECT_TIMEOUT_MS = 10_000
/** How long all pauses that the server asks for may take together. */
const PATIENCE_MS = 10_000

async function* checkServer(where: Where, flags: TargetFlags, signal: AbortSignal): AsyncGenerator<Check> {
  const { baseUrl, keys } = await where.merchant()
  const address = readBaseUrl(baseUrl)
  const contract = (await where.contract()) ?? resolveContract()
  const ca = await where.authorities()
  const proxy = chooseProxy(new URL(address.origin), undefined, process.env)
  const timeoutMs = Math.min(flags.requestTimeout ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS)
  if (!(yield* checkNetwork({ address, proxy, ca, timeoutMs })) || keys === NOBODY) return
  const session = openSession({
    baseUrl,
    keys,
    ca,
    signal,
    timeoutMs: flags.requestTimeout,
    retries: flags.retries,
    patienceMs: PATIENCE_MS,
  })
  try {
    const first = await askFirst(session)
    const checks = [...checkGateway(first, keys.publicKey)]
    yield* checks
    if (checks.at(-1)?.check !== 'environment') return
    yield* checkUnspecified({ session, first: first.exchange, publicKey: keys.publicKey, contract })
  } catch (cause) {
    if (signal.aborted) throw cause
    const advice = 'run `paysim doctor` again: a call failed that worked a moment ago'
    yield problem('api', messageOf(cause), { advice, exitCode: exitCodeOf(cause) })
  } finally {
    await session.close()
  }
}

interface QuickLook {
  readonly session: Session
  /** The answer that showed what the server is. */
  readonly first: Exchange
  readonly publicKey: string
  readonly contract: Contract
}

/**
 * For questions that the interface document leaves open: compares this server's answers with the contract. It asks what
 * a probe asks that only reads.
 */
async function* checkUnspecified({ session, first, publicKey, contract }: QuickLook): AsyncGenerator<Check> {
  const createPath = contract['create.path']
  const inquiry = new Inquiry({
    session,
    requests: READS,
    allowWrites: false,
    run: 'doctor',
    publicKey,
    createPath,
    first,
  })
  for (const question of READ_QUESTIONS) {
    const { key, reading } = await inquiry.ask(question)
    if (inquiry.end !== undefined) throw new Error(inquiry.end)
    if ('value' in reading) yield compared(question, reading.value, contract)
    else if (key === 'create.path')
      yield warning(
        key,
        reading.why,
        'run `paysim probe --create-path /the/path`, or add it to a contract file',
      )
  }
  for (const { what } of inquiry.violations)
    yield warning('document', what, 'this contradicts the interface document: ask the operator of the server')
}

function compared({ key, simulated }: Question, seen: string, contract: Contract): Check {
  if (simulated !== undefined) {
    if (seen === simulated) return ok(key, seen)
    const advice = 'no contract setting covers this: do not rely on either answer'
    return warning(key, `${seen}; with a simulator, ${simulated}`, advice)
  }
  const expected = answerOf(key, contract)
  if (seen === expected) return ok(key, seen)
  return {
    ...warning(
      key,
      `${seen}, but the contract has ${expected}`,
      `add \`${key}: ${seen}\` to a contract file (--contract, or in the profile), or let \`paysim probe\` write one`,
    ),
    override: seen,
  }
}
