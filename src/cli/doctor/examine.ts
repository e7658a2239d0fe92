import { readBaseUrl } from '../../client/address.ts'
import type { ClientOptions } from '../../client/create-client.ts'
import { refuseUnsafe } from '../../client/credentials.ts'
import { chooseProxy } from '../../client/transport/choose-proxy.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { readContract } from '../read-file.ts'
import { findTarget, type Target } from '../target/find-target.ts'
import type { TargetFlags } from '../target/flags.ts'
import { readAuthorities } from '../target/read-credentials.ts'
import { checkGateway, openProbe } from './gateway.ts'
import { checkNetwork } from './network.ts'
import { type Check, fault, ok, warning } from './report.ts'
import { checkNode, checkProfiles, checkSimulator, messageOf } from './this-machine.ts'
import { checkUnspecified } from './unspecified.ts'

/** Looks at everything that a call depends on, from the near to the far. What builds on a fault is left out. */
export async function* examine(flags: TargetFlags, signal: AbortSignal): AsyncGenerator<Check> {
  yield checkNode()
  yield* checkProfiles()
  yield* checkTarget(flags, signal)
  yield* checkSimulator(signal)
}

async function* checkTarget(flags: TargetFlags, signal: AbortSignal): AsyncGenerator<Check> {
  try {
    // Where there are no keys, the way to the server can be looked at all the same.
    const target = await findTarget(flags, NOBODY)
    yield* describe(target)
    yield* checkServer(target, flags, signal)
  } catch (cause) {
    if (signal.aborted) throw cause
    const advice = 'put right what it names, and run `paysim doctor` again'
    yield fault('target', messageOf(cause), { advice, exitCode: exitCodeOf(cause) })
  }
}

async function* describe({ baseUrl, keys, from, choice }: Target): AsyncGenerator<Check> {
  const address = readBaseUrl(baseUrl)
  refuseUnsafe(keys, address)
  yield ok('target', `${baseUrl}, by ${from.baseUrl}`)
  yield* describeChoice(choice)
  if (keys === NOBODY)
    return yield fault('credentials', 'there are no keys for this base URL', {
      advice:
        'set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY, or give --key-file, or keep them in a profile: `paysim init`',
      exitCode: EXIT.usage,
    })
  const whose = `${keys.publicKey}, by ${from.keys}`
  yield from.keys === from.baseUrl || isBeside(from)
    ? ok('credentials', whose)
    : warning(
        'credentials',
        whose,
        `the address comes from elsewhere (${from.baseUrl}): do the two belong together?`,
      )
}

async function* describeChoice({ others, named }: Target['choice']): AsyncGenerator<Check> {
  const places = (await others()).map(({ url, name }) => `${url} (${name})`)
  if (places.length === 0) return
  const what = `calls could also go to ${places.join(' or ')}`
  yield named
    ? ok('others', what)
    : warning(
        'others',
        what,
        'name the one that is meant, with --base-url, --profile, --account or PAYSIM_DATA',
      )
}

/** A flag's address with the environment's keys is how scripts are written. */
const isBeside = ({ baseUrl, keys }: Target['from']) =>
  [baseUrl, keys].every(name => name === 'flag' || name === 'environment')

const CONNECT_TIMEOUT_MS = 10_000
/** They look like keys, and open nothing. */
const NOBODY = { publicKey: 'pk_test_paysim_doctor_nobody', secretKey: 'sk_test_paysim_doctor_nobody' }

async function* checkServer(target: Target, flags: TargetFlags, signal: AbortSignal): AsyncGenerator<Check> {
  const { baseUrl, keys, profile } = target
  const address = readBaseUrl(baseUrl)
  const contract = await readContract(flags.contract ?? profile?.contract)
  const caFile = flags.caFile ?? profile?.ca_file
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile)
  const proxy = chooseProxy(new URL(address.origin), undefined, process.env)
  const timeoutMs = Math.min(flags.requestTimeout ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS)
  if (!(yield* checkNetwork({ address, proxy, ca, timeoutMs })) || keys === NOBODY) return
  const options: Omit<ClientOptions, keyof typeof keys> = {
    baseUrl,
    ca,
    timeoutMs: flags.requestTimeout,
    retries: flags.retries,
  }
  const probe = openProbe({ ...options, ...keys }, signal)
  const stranger = openProbe({ ...options, ...NOBODY }, signal)
  try {
    if (yield* checkGateway(probe, keys.publicKey)) yield* checkUnspecified({ probe, stranger, contract })
  } catch (cause) {
    if (signal.aborted) throw cause
    const advice = 'run `paysim doctor` again: what worked a moment ago does so no longer'
    yield fault('api', messageOf(cause), { advice, exitCode: exitCodeOf(cause) })
  } finally {
    await Promise.all([probe.close(), stranger.close()])
  }
}
