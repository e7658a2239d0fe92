import type { FaultRule, ProviderRule } from '../client/control-client.ts'
import { ArgumentError } from '../client/errors.ts'
import type { EventChoice } from '../contract/event-names.ts'
import { checkScenario } from './load/check-scenario.ts'
import type { ReceiverBehaviour, ScenarioClock, ScenarioPolicy } from './schema/account.ts'
import type { ApplicationData } from './schema/application.ts'
import type { CatalogueOverlay } from './schema/catalogue.ts'
import type { StepOf, VerbName } from './verbs/index.ts'

type Flow = 'repeat' | 'parallel'

/** One step of a scenario. docs/scenarios.md describes each verb. */
export type ScenarioStep =
  | { [Name in Exclude<VerbName, Flow>]: StepOf<Name> }[Exclude<VerbName, Flow>]
  | (Omit<StepOf<'repeat'>, 'steps'> & { steps: ScenarioStep[] })
  /** This many copies of `steps` at once, or these branches. */
  | (Omit<StepOf<'parallel'>, 'parallel' | 'steps'> & {
      parallel: number | (ScenarioStep | ScenarioStep[])[]
      steps?: ScenarioStep[]
    })

/** What a scenario file holds: how an account is set up, and the steps that run in it. */
export interface Scenario {
  $schema?: string
  /** The version of the grammar. */
  paysim: 1
  name: string
  about?: string
  /** The same seed gives the same ids and instructions; 1 by default. */
  seed?: number | string
  environment?: 'test' | 'live'
  clock?: ScenarioClock
  catalogue?: CatalogueOverlay
  policy?: ScenarioPolicy
  /** What the provider will do: first match wins. */
  provider?: ProviderRule[]
  /** What goes wrong on the wire: first match wins. */
  faults?: FaultRule[]
  receiver?: { events?: EventChoice[]; answers?: ReceiverBehaviour }
  /** The merchant's application, which steps call and look at. */
  app?: ApplicationData
  /** Values with a name, for `${name}`. */
  let?: Record<string, unknown>
  steps?: ScenarioStep[]
  /** What must be true at the end. */
  verify?: 'all' | ('rules' | 'faults' | 'intents' | 'webhooks')[]
}

/**
 * A scenario with the compiler looking over its writer's shoulder, and checked as `paysim run` checks a file, but for
 * the files that it names: it is not known yet where it will lie. As JSON it is a file for `paysim run`.
 */
export function defineScenario(scenario: Scenario): Scenario {
  // What JSON leaves out, such as a member that is undefined, is not there for `paysim run` either.
  const data: unknown = JSON.parse(JSON.stringify(scenario) ?? 'null')
  const { byPath } = checkScenario(data, { pathOf: field => pathIn(data, field) }, undefined)
  if (byPath.length === 0) return scenario
  const problems = byPath.map(({ path, message }) => [path.join('.'), message].filter(text => text !== ''))
  throw new ArgumentError(`defineScenario(): ${problems.map(parts => parts.join(': ')).join('\n')}`)
}

/** The keys and places that lead to the value of a dotted field. */
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
