import type { FaultRule } from '../contract/control/faults.ts'
import type { ProviderRule } from '../contract/control/rules.ts'
import { type CatalogueData, indexCatalogue } from './catalogue.ts'
import type { ClockSetting } from './commands.ts'
import { compileFaults } from './faults/fault.ts'
import type { Count } from './match-limits.ts'
import type { WebhookEndpoint } from './model.ts'
import { compileRule } from './rules/rule.ts'
import { MutableWorld, type PastRecords, type RecordKind, TABLES } from './world.ts'

/** A world without the records in its tables, as JSON. */
export interface StoredState {
  readonly seq: number
  readonly moves: number
  readonly at: number
  /** How many records of each kind ever arrived. */
  readonly arrivals: Readonly<Record<RecordKind, number>>
  readonly timersSet: number
  readonly answersSince: number | null
  readonly endpoints: readonly WebhookEndpoint[]
  readonly openDeliveries: readonly string[]
  readonly catalogue: CatalogueData | null
  readonly rules: readonly ProviderRule[] | null
  readonly ruleCounts: readonly (readonly [number, Count])[]
  readonly faults: { readonly setAt: number; readonly data: readonly FaultRule[] }
  readonly faultCounts: readonly (readonly [number, Count])[]
  readonly heldDeliveries: readonly (readonly [string, string])[]
  readonly health: readonly (readonly [string, boolean])[]
  readonly clock: ClockSetting | null
}

export const KINDS = Object.keys(TABLES) as RecordKind[]

export function storeState(world: MutableWorld): StoredState {
  const { seq, moves, at, timers, kept, endpoints, rules, catalogue, faults, clock } = world
  return {
    seq,
    moves,
    at,
    arrivals: Object.fromEntries(KINDS.map(kind => [kind, world.table(kind).arrivals])) as Record<
      RecordKind,
      number
    >,
    timersSet: timers.ordinal,
    answersSince: Number.isFinite(kept.since) ? kept.since : null,
    endpoints: [...endpoints.values()],
    openDeliveries: [...world.openDeliveries],
    catalogue: catalogue?.data ?? null,
    rules: rules?.map(({ data }) => data) ?? null,
    ruleCounts: [...world.ruleCounts],
    faults: { setAt: faults.setAt, data: faults.data },
    faultCounts: [...world.faultCounts],
    heldDeliveries: [...world.heldDeliveries],
    health: [...world.health],
    clock,
  }
}

export function restoreWorld(stored: StoredState, past: PastRecords): MutableWorld {
  const world = new MutableWorld(past)
  world.seq = stored.seq
  world.moves = stored.moves
  world.at = stored.at
  world.timers.ordinal = stored.timersSet
  if (stored.answersSince !== null) world.kept.deleteBefore(stored.answersSince)
  for (const endpoint of stored.endpoints) world.endpoints.set(endpoint.id, endpoint)
  for (const delivery of stored.openDeliveries) world.openDeliveries.add(delivery)
  world.catalogue = stored.catalogue && indexCatalogue(stored.catalogue)
  world.rules = stored.rules?.map(compileRule) ?? null
  world.ruleCounts = new Map(stored.ruleCounts)
  world.faults = compileFaults(stored.faults.data, stored.faults.setAt)
  for (const [fault, count] of stored.faultCounts) world.faultCounts.set(fault, count)
  for (const [endpoint, delivery] of stored.heldDeliveries) world.heldDeliveries.set(endpoint, delivery)
  for (const [provider, healthy] of stored.health) world.health.set(provider, healthy)
  world.clock = stored.clock
  return world
}
