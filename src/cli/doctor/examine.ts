import { readBaseUrl } from '../../client/address.ts'
import { refuseUnsafe } from '../../client/credentials.ts'
import { chooseProxy } from '../../client/transport/open-transport.ts'
import type { Contract } from '../../contract/decisions.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { readContract } from '../named-file.ts'
import { Inquiry, type Question } from '../probe/inquiry.ts'
import { READ_QUESTIONS, READS } from '../probe/reads.ts'
import { type Exchange, NOBODY, openSession, type Session } from '../probe/session.ts'
import { findTarget, readAuthorities, type Target, type TargetFlags } from '../target/find-target.ts'
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
    const target = await findTarget(flags, NOBODY)
    yield* describe(target)
    yield* checkServer(target, flags, signal)
  } catch (cause) {
    if (signal.aborted) throw cause
    const advice = 'fix this, and run `paysim doctor` again'
    yield problem('target', messageOf(cause), { advice, exitCode: exitCodeOf(cause) })
  }
}

async function* describe({ baseUrl, keys, from, choice }: Target): AsyncGenerator<Check> {
  const address = readBaseUrl(baseUrl)
  refuseUnsafe(keys, address)
  yield ok('target', `${baseUrl}, from ${from.baseUrl}`)
  yield* describeChoice(choice)
  if (keys === NOBODY)
    return yield problem('credentials', 'no keys for this base URL', {
      advice:
        'set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY, give --key-file, or create a profile with `paysim init`',
      exitCode: EXIT.usage,
    })
  const origin = `${keys.publicKey}, from ${from.keys}`
  yield from.keys === from.baseUrl || isUsualPair(from)
    ? ok('credentials', origin)
    : warning(
        'credentials',
        origin,
        `the address comes from another place (${from.baseUrl}): check that the keys belong to it`,
      )
}

async function* describeChoice({ others, named }: Target['choice']): AsyncGenerator<Check> {
  const places = (await others()).map(({ url, name }) => `${url} (${name})`)
  if (places.length === 0) return
  const what = `calls could also go to ${places.join(' or ')}`
  yield named
    ? ok('others', what)
    : warning('others', what, 'choose one with --base-url, --profile, --account or PAYSIM_DATA')
}

/** Scripts often combine an address from an option with keys from the environment. */
const isUsualPair = ({ baseUrl, keys }: Target['from']) =>
  [baseUrl, keys].every(name => name === 'flag' || name === 'environment')

const CONNECT_TIMEOUT_MS = 10_000
/** How long all pauses that the server asks for may take together. */
const PATIENCE_MS = 10_000

async function* checkServer(target: Target, flags: TargetFlags, signal: AbortSignal): AsyncGenerator<Check> {
  const { baseUrl, keys, profile } = target
  const address = readBaseUrl(baseUrl)
  const contract = await readContract(flags.contract ?? profile?.contract)
  const caFile = flags.caFile ?? profile?.ca_file
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile)
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
