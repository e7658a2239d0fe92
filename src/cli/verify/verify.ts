import { DECISIONS, type DecisionKey } from '../../contract/decisions.ts'
import { answerOf, resolveContract } from '../../contract/resolve-contract.ts'
import { testSuites } from '../../scenario/index.ts'
import type { View } from '../output/view.ts'
import {
  count,
  type Inquired,
  inquire,
  type Made,
  type ProbeOptions,
  problemWith,
  section,
} from '../probe/probe.ts'
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
    key => DECISIONS[key].kind !== 'constant' && problemWith(key, decisions[key]) === undefined,
  )

const decided = (name: DecisionKey, expected: string, found: string): Difference[] =>
  expected === found ? [] : [{ kind: 'decision', name, expected, found, requests: [] }]

const SHOWN_REQUESTS = 3

/** What differs, and what else somebody must know. */
export const verifyView: View<VerifyReport> = {
  human: ({ against, differences, compared, scenarios, not_compared, made, ended, requests }, screen) => {
    const left = made.filter(({ cancelled }) => !cancelled)
    const than = against === 'simulator' ? 'a simulator with this contract' : 'the recording'
    return [
      ...section(`Different from ${than}`, differences.map(lineOf), screen),
      ...section(
        'Not compared',
        not_compared.map(({ request, why }) => [request, why]),
        screen,
      ),
      ...section(
        'Made, and not cancelled',
        left.map(({ id, why }) => [id, why ?? '']),
        screen,
      ),
      ...(ended === null ? [] : [`${ended}.`]),
      `${count(requests, 'request')}, ${count(compared.length, 'answer')}${scenarios.length === 0 ? '' : ` and ${count(scenarios.length, 'scenario')}`} compared, ${count(differences.length, 'difference')}.`,
    ].join('\n')
  },
  rows: ({ differences }) => differences,
  csv: ['kind', 'name', 'expected', 'found', 'requests'],
}

function lineOf({ kind, name, expected, found, requests }: Difference): [string, string] {
  const label = ['decision', 'scenario', 'status'].includes(kind) ? name : `${kind} ${name || 'body'}`
  const more = requests.length > SHOWN_REQUESTS ? ` and ${requests.length - SHOWN_REQUESTS} more` : ''
  const where = requests.length === 0 ? '' : ` (${requests.slice(0, SHOWN_REQUESTS).join(', ')}${more})`
  return [label, `${found}; expected: ${expected}${where}`]
}

/** A case for each decision that was seen, for each request whose answers were compared, and for each scenario. */
export function verifyJunit({ differences, decisions, compared, scenarios, ended }: VerifyReport): string {
  const of = (kind: string, name: string, own: readonly Difference[]) => ({
    file: `verify/${kind}`,
    name,
    tookMs: 0,
    ...(own.length === 0
      ? {}
      : {
          failure: {
            message: own.map(one => lineOf({ ...one, requests: [] }).join(': ')).join('; '),
            lines: own.map(one => lineOf(one).join(': ')),
          },
        }),
  })
  const named = (wanted: Difference['kind'], key: string) =>
    differences.filter(({ kind, name }) => kind === wanted && name === key)
  return testSuites([
    ...Object.keys(decisions).map(key => of('decisions', key, named('decision', key))),
    ...compared.map(request =>
      of(
        'requests',
        request,
        differences.filter(({ requests }) => requests.includes(request)),
      ),
    ),
    ...scenarios.map(name => of('scenarios', name, named('scenario', name))),
    ...(ended === null
      ? []
      : [
          {
            file: 'verify/requests',
            name: 'the rest',
            tookMs: 0,
            failure: { message: ended, lines: [ended] },
          },
        ]),
  ])
}
