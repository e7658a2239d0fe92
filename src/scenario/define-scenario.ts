import type { FaultRule, ProviderRule } from '../client/control-client.ts'
import { ArgumentError } from '../client/errors.ts'
import type { EventChoice } from '../contract/event-names.ts'
import { checkScenario } from './load/check-scenario.ts'
import type { CatalogueOverlay, ReceiverBehaviour, ScenarioClock, ScenarioPolicy } from './schema/account.ts'
import type { ApplicationData } from './schema/file.ts'
import type { StepOf, VerbName } from './verbs/index.ts'

type Flow = 'repeat' | 'parallel'

/** One step of a scenario. docs/scenarios.md describes each verb. */
export type ScenarioStep =
  | { [Name in Exclude<VerbName, Flow>]: StepOf<Name> }[Exclude<VerbName, Flow>]
  | (Omit<StepOf<'repeat'>, 'steps'> & { steps: ScenarioStep[] })
  /** A number of parallel copies of `steps`, or a list of parallel branches. */
  | (Omit<StepOf<'parallel'>, 'parallel' | 'steps'> & {
      parallel: number | (ScenarioStep | ScenarioStep[])[]
      steps?: ScenarioStep[]
    })

/** The content of a scenario file: the setup of an account, and the steps that run in it. */
export interface Scenario {
  $schema?: string
  /** The version of the file format. */
  paysim: 1
  name: string
  about?: string
  /** The same seed gives the same ids and payment instructions; 1 by default. */
  seed?: number | string
  environment?: 'test' | 'live'
  clock?: ScenarioClock
  catalogue?: CatalogueOverlay
  policy?: ScenarioPolicy
  /** What the provider does: the first matching rule applies. */
  provider?: ProviderRule[]
  /** Faults on the wire: the first matching one applies. */
  faults?: FaultRule[]
  receiver?: { events?: EventChoice[]; answers?: ReceiverBehaviour }
  /** The merchant's application, which steps call and check. */
  app?: ApplicationData
  /** Named values, for `${name}`. */
  let?: Record<string, unknown>
  steps?: ScenarioStep[]
  /** What to check at the end. */
  verify?: 'all' | ('rules' | 'faults' | 'intents' | 'webhooks')[]
}

/**
 * Defines a scenario in TypeScript. The compiler checks its types, and this function checks the rest as `paysim run`
 * does. Only files that it names are not checked, because its folder is not known yet. Saved as JSON, it is a file for
 * `paysim run`.
 */
export function defineScenario(scenario: Scenario): Scenario {
  // JSON drops undefined members, so `paysim run` does not see them either.
  const data: unknown = JSON.parse(JSON.stringify(scenario) ?? 'null')
  const { byPath } = checkScenario(data, { pathOf: field => pathIn(data, field) }, undefined)
  if (byPath.length === 0) return scenario
  const problems = byPath.map(({ path, message }) => [path.join('.'), message].filter(text => text !== ''))
  throw new ArgumentError(`defineScenario(): ${problems.map(parts => parts.join(': ')).join('\n')}`)
}

/** The path of the value that a dotted field names. */
function pathIn(data: unknown, field: string): (string | number)[] {
  if (field === '') return []
  if (Array.isArray(data)) {
    const [place = '', ...rest] = field.split('.')
    return [Number(place), ...pathIn(data[Number(place)], rest.join('.'))]
  }
  const members: [string, unknown][] = typeof data === 'object' && data !== null ? Object.entries(data) : []
  const longestFirst = members.sort(([a], [b]) => b.length - a.length)
  const member = longestFirst.find(([key]) => field === key || field.startsWith(`${key}.`))
  if (!member) return [field]
  const [key, value] = member
  return [key, ...pathIn(value, field.slice(key.length + 1))]
}
