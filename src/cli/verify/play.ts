import { randomBytes } from 'node:crypto'
import { isSuccess } from '../../application/request-once.ts'
import { fill, readBaseUrl } from '../../client/address.ts'
import { basic, type Keys } from '../../client/credentials.ts'
import { ConnectError, readErrorBody } from '../../client/errors.ts'
import { memberAt } from '../../contract/json.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import { answerOf, resolveContract } from '../../contract/resolve-contract.ts'
import { noAnswer, type ReceivedAnswer } from '../../contract/wire-answer.ts'
import { packageFile, packageFilesBelow, readPackageFile } from '../../package-files.ts'
import { readScenario, runScenario, type Scenario } from '../../scenario/index.ts'
import { type Sent, Wire } from '../../scenario/run/wire.ts'
import { type Inquired, type Made, madeOf, type ProbeOptions } from '../probe/probe.ts'
import type { Comparison, Difference, Recording } from './compare.ts'
import { withMirror } from './mirror.ts'

/** What the scenarios that need no simulator showed. */
export interface Played extends Comparison {
  /** The payments that they made at the server. */
  readonly made: readonly Made[]
  /** How many requests the server got. */
  readonly requests: number
  /** Why not every scenario was played there. */
  readonly ended: string | undefined
}

interface Side {
  readonly baseUrl: string
  readonly keys: Keys
  readonly createPath: string
  readonly wire: CarefulWire
}

/**
 * Plays the scenarios that need no simulator at a server, and at a simulator with the contract. Unlike the requests of a
 * probe, they show what the contract means to somebody who relies on it, so the simulator has it as it is.
 */
export async function playScenarios(
  server: Recording,
  contract: Readonly<Record<string, unknown>>,
  { gateway, hide }: { readonly gateway: ProbeOptions; readonly hide: Inquired['session']['hide'] },
): Promise<Played> {
  const { keys, signal, ca, timeoutMs, proxy } = gateway
  const wire = new CarefulWire({ ca, timeoutMs, proxy })
  const { origin, prefix } = readBaseUrl(gateway.baseUrl)
  const createPath = server.decisions['create.path'] ?? gateway.createPath
  const there: Side = { baseUrl: origin + prefix, keys, createPath, wire }
  const stop = () => void wire.close()
  signal.addEventListener('abort', stop)
  try {
    const comparison = await withMirror(server, contract, async ({ baseUrl, publicKey, secretKey }) => {
      const own = new CarefulWire({ proxy: false })
      const path = answerOf('create.path', resolveContract(contract))
      try {
        return await playBoth(
          { baseUrl, keys: { publicKey, secretKey }, createPath: path, wire: own },
          { ...there, hide, signal },
        )
      } finally {
        await own.close()
      }
    })
    const made = await cancelMade(there)
    return { ...comparison, made, requests: wire.requests, ended: wire.end }
  } finally {
    signal.removeEventListener('abort', stop)
    await wire.close()
  }
}

async function playBoth(
  simulator: Side,
  server: Side & { readonly hide: (text: string) => string; readonly signal: AbortSignal },
): Promise<Comparison> {
  const differences: Difference[] = []
  const compared: string[] = []
  const left: { request: string; why: string }[] = []
  for (const scenario of await portableScenarios()) {
    const { name } = scenario.data
    const found = await outcomeOf(scenario, server)
    server.signal.throwIfAborted()
    const expected = await outcomeOf(scenario, simulator)
    const [here = '', there = ''] = [expected, found].map(({ text }) => server.hide(text))
    if (found.why !== undefined) left.push({ request: name, why: found.why })
    else if (expected.at === found.at && found.at !== '')
      left.push({ request: name, why: `it ${there} at both` })
    else {
      compared.push(name)
      if (expected.at !== found.at)
        differences.push({ kind: 'scenario', name, expected: here, found: there, requests: [] })
    }
  }
  return { differences, compared, left }
}

/** The names of the files that need no simulator. */
const PORTABLE = /^portable-[^/]+\.yaml$/
const FOLDER = 'scenarios'

function portableScenarios(): Promise<Scenario[]> {
  const names = packageFilesBelow(FOLDER).filter(name => PORTABLE.test(name))
  return Promise.all(
    names
      .sort()
      .map(file =>
        readScenario(String(readPackageFile(`${FOLDER}/${file}`)), { file, folder: packageFile(FOLDER) }),
      ),
  )
}

interface Outcome {
  /** The place of the first expectation that fails; empty if none does. */
  readonly at: string
  readonly text: string
  /** Why the outcome says nothing. */
  readonly why?: string
}

async function outcomeOf(scenario: Scenario, { keys, ...side }: Side): Promise<Outcome> {
  if (side.wire.end !== undefined) return { at: '', text: '', why: side.wire.end }
  // What an earlier run made has other references and keys.
  const run = `verify-${randomBytes(4).toString('hex')}`
  const { ok, steps } = await runScenario(scenario, { target: { kind: 'gateway', ...keys, ...side }, run })
  if (side.wire.end !== undefined) return { at: '', text: '', why: side.wire.end }
  if (ok) return { at: '', text: 'passes' }
  const failed = steps.find(({ failure }) => failure !== undefined)
  const { answer, mismatches = [] } = failed?.failure ?? {}
  if (answer && answer.status >= 500) return { at: '', text: '', why: `${failed?.title}: ${answer.status}` }
  const [first] = mismatches
  const at = `${scenario.file}:${first?.line}:${first?.column}`
  return {
    at,
    text: `fails at "${failed?.title}": ${first?.subject} is ${brief(first?.actual)}, not ${brief(first?.expected)} (${at})`,
  }
}

const CHARACTERS_SHOWN = 80

const brief = (value: unknown) => (JSON.stringify(value) ?? 'missing').slice(0, CHARACTERS_SHOWN)

/** More than the scenarios send, also at a server that refuses nothing. */
const MOST_REQUESTS = 40
const MOST_MINUTES = 2

/** Sends a limited number of requests, and none after the server took no more or gave no answer. */
class CarefulWire extends Wire {
  requests = 0
  /** Why no more requests are sent; undefined while they are. */
  end: string | undefined
  /** The answers that have a payment, by its id. */
  readonly payments = new Map<string, unknown>()
  readonly #startedAt = performance.now()

  override async send(sent: Sent): Promise<ReceivedAnswer> {
    if (this.requests === MOST_REQUESTS) this.end ??= `${MOST_REQUESTS} requests were sent`
    if (performance.now() - this.#startedAt > MOST_MINUTES * 60_000)
      this.end ??= `${MOST_MINUTES} minutes are over`
    if (this.end !== undefined) return noAnswer(this.end)
    this.requests++
    const answer = await super.send(sent).catch((error: unknown) => {
      if (!(error instanceof ConnectError)) throw error
      return noAnswer(error.message)
    })
    if (answer.lost !== undefined) this.end = `the scenarios ended early: ${answer.lost}`
    if (answer.status === 429) this.end = 'the server takes no more requests (429)'
    const id = memberAt(answer.body, 'id')
    const isPayment = isSuccess(answer.status) && memberAt(answer.body, 'object') === 'payment_intent'
    if (isPayment && typeof id === 'string' && id !== '') this.payments.set(id, answer.body)
    return answer
  }
}

/** Cancels what the scenarios made. */
async function cancelMade({ baseUrl, keys, wire }: Side): Promise<Made[]> {
  const made: Made[] = []
  for (const [id, payment] of [...wire.payments]) {
    const answer = await wire.send({
      method: 'POST',
      url: baseUrl + fill(OPERATION_PATHS.cancelPayment.path, { id }),
      headers: { authorization: basic(keys).authorization, 'content-type': 'application/json' },
      body: '{}',
    })
    const refusal = () => readErrorBody(Object(answer.body), answer.status).code
    const why = isSuccess(answer.status) ? null : (answer.lost ?? `${answer.status} ${refusal()}`)
    made.push(madeOf(id, payment, why))
  }
  return made
}
