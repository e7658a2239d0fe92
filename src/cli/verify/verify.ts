import { DECISIONS, type DecisionKey } from '../../contract/decisions.ts'
import { answerOf, ContractError, resolveContract } from '../../contract/resolve-contract.ts'
import { type Inquired, inquire, type Made, type ProbeOptions } from '../probe/probe.ts'
import { type Comparison, compareAnswers, type Difference, type Recording } from './compare.ts'
import { askSimulator } from './mirror.ts'
import { type Played, playScenarios } from './play.ts'
import { recordingOf } from './recording.ts'

/** Where a server differs from what is expected of it. The names are on the wire. */
export interface VerifyReport {
  /** What it is compared with. */
  readonly against: 'simulator' | 'recording'
  readonly differences: readonly Difference[]
  /** What its answers show. */
  readonly decisions: Readonly<Record<string, string>>
  readonly compared: Comparison['compared']
  /** The names of the scenarios whose outcomes were compared. */
  readonly scenarios: Comparison['compared']
  readonly not_compared: Comparison['left']
  /** The payments that were made, and whether the server accepted their cancellation. */
  readonly made: readonly Made[]
  readonly requests: number
  /** Why the server was not asked everything; null if it was. */
  readonly ended: string | null
}

interface VerifyOptions {
  /** How to ask the server; missing if an earlier recording stands for it. */
  readonly gateway?: ProbeOptions | undefined
  /** What the contract file says. */
  readonly contract: Readonly<Record<string, unknown>>
  readonly createPath: string
  /** What the server answered before. */
  readonly earlier?: Recording | undefined
  readonly signal: AbortSignal
}

export interface Verified {
  readonly report: VerifyReport
  readonly recording: Recording
}

/** Compares a server with a simulator that has this contract, or with what it answered before. */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const { gateway, earlier } = options
  const inquired = gateway && (await inquire(gateway))
  const recording = inquired ? recordingOf(inquired) : earlier
  if (!recording) throw new Error('nothing to verify: neither a server nor a recording')
  const comparison =
    inquired && earlier ? withRecording(earlier, recording) : await withSimulator(recording, options)
  const played =
    inquired && gateway?.allowWrites && !earlier && inquired.inquiry.end === undefined
      ? await playScenarios(recording, options.contract, { gateway, hide: inquired.session.hide })
      : undefined
  return { recording, report: reportOf(comparison, recording, { inquired, played }) }
}

function reportOf(
  { against, differences, compared, left }: Comparison & Pick<VerifyReport, 'against'>,
  { decisions }: Recording,
  { inquired, played }: { readonly inquired: Inquired | undefined; readonly played: Played | undefined },
): VerifyReport {
  return {
    against,
    differences: [...differences, ...(played?.differences ?? [])],
    decisions,
    compared,
    scenarios: played?.compared ?? [],
    not_compared: [...left, ...(played?.left ?? [])],
    made: [...(inquired?.made ?? []), ...(played?.made ?? [])],
    requests: (inquired?.session.requests ?? 0) + (played?.requests ?? 0),
    ended: inquired?.inquiry.end ?? played?.ended ?? null,
  }
}

function withRecording(earlier: Recording, now: Recording) {
  const comparison = compareAnswers(earlier, now)
  const decisions = switchesOf(now).flatMap(key => {
    const [expected, found] = [earlier.decisions[key], now.decisions[key]]
    return expected === undefined || found === undefined ? [] : decided(key, expected, found)
  })
  return {
    ...comparison,
    against: 'recording',
    differences: [...decisions, ...comparison.differences],
  } as const
}

/**
 * The simulator gets what the server showed instead of what the contract says, so that each decision that differs is one
 * difference, and not one in every answer that it changes.
 */
async function withSimulator(server: Recording, { contract, createPath, gateway, signal }: VerifyOptions) {
  const inForce = resolveContract(contract)
  const decisions = switchesOf(server).flatMap(key =>
    decided(key, answerOf(key, inForce), server.decisions[key] ?? ''),
  )
  const shown = Object.fromEntries(decisions.map(({ name, found }) => [name, found]))
  const simulator = await askSimulator(
    server,
    { ...contract, ...shown },
    {
      allowWrites: gateway?.allowWrites ?? true,
      createPath,
      signal,
    },
  )
  const comparison = compareAnswers(simulator, server)
  return {
    ...comparison,
    against: 'simulator',
    differences: [...decisions, ...comparison.differences],
  } as const
}

/** The decisions that were seen, without those that no contract changes: their answers are compared as they are. */
const switchesOf = ({ decisions }: Recording): DecisionKey[] =>
  (Object.keys(decisions) as DecisionKey[]).filter(
    key => DECISIONS[key].kind !== 'constant' && isAllowed(key, decisions[key]),
  )

/** A simulator could not follow another value. */
function isAllowed(key: DecisionKey, value: string | undefined): boolean {
  try {
    resolveContract({ [key]: value })
    return true
  } catch (error) {
    if (error instanceof ContractError) return false
    throw error
  }
}

const decided = (name: DecisionKey, expected: string, found: string): Difference[] =>
  expected === found ? [] : [{ kind: 'decision', name, expected, found, requests: [] }]
