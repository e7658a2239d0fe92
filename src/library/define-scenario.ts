import type { FaultRule, ProviderRule } from '../client/control-script.ts'
import type {
  EventName,
  ReceiverBehaviour,
  ScenarioCatalogue,
  ScenarioClock,
  ScenarioPolicy,
  ScenarioStep,
} from './scenario-step.ts'

/** What a scenario file holds: a world, and a story told in it. */
export interface Scenario {
  $schema?: string
  /** The version of the grammar. */
  paysim: 1
  name: string
  about?: string
  /** The same seed, the same ids and instructions; 1 unless told. */
  seed?: number | string
  environment?: 'test' | 'live'
  clock?: ScenarioClock
  catalogue?: ScenarioCatalogue
  policy?: ScenarioPolicy
  /** What the provider will do: first match wins. */
  provider?: ProviderRule[]
  /** What goes wrong on the wire: first match wins. */
  faults?: FaultRule[]
  receiver?: { events?: EventName[]; answers?: ReceiverBehaviour }
  /** Values with a name, for `${name}`. */
  let?: Record<string, unknown>
  steps?: ScenarioStep[]
  /** What must be true at the end. */
  verify?: 'all' | ('rules' | 'faults' | 'intents' | 'webhooks')[]
}

/** A scenario with the compiler looking over its writer's shoulder. As JSON it is a file for `paysim run`. */
export const defineScenario = (scenario: Scenario): Scenario => scenario
