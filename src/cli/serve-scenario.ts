import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parseTimestamp } from '../contract/timestamps.ts'
import type { CatalogueData } from '../domain/catalogue.ts'
import type { Script } from '../engine/script.ts'
import { StartError } from '../engine/start-error.ts'
import { loadScenario } from '../scenario/load/load.ts'
import { ScenarioError } from '../scenario/load/problems.ts'
import { type CatalogueLists, overlay } from '../scenario/schema/catalogue.ts'
import type { ScenarioData } from '../scenario/schema/file.ts'

/** Editors write a file in several strokes. */
const SETTLED_MS = 100

/**
 * What several scenario files say together, but for their steps. Rules and faults of later files come after those of
 * earlier ones; of the rest the last word holds.
 */
export async function readScript(
  paths: readonly string[],
  { standard, clock }: { standard: CatalogueData; clock: 'real' | 'virtual' | undefined },
): Promise<Script> {
  const all = await Promise.all(paths.map(load))
  const rules = all.flatMap(({ provider }) => provider ?? [])
  const faults = all.flatMap(data => data.faults ?? [])
  const policy = all.findLast(data => data.policy)?.policy
  const time = clock ?? all.findLast(data => data.clock)?.clock
  const catalogue = all.reduce<unknown>(
    (base, data) => (data.catalogue ? overlay(base as CatalogueLists, data.catalogue) : base),
    standard,
  )
  return {
    ...(all.some(({ provider }) => provider) ? { rules } : {}),
    ...(all.some(data => data.faults) ? { faults } : {}),
    ...(catalogue === standard ? {} : { catalogue: catalogue as CatalogueData }),
    ...(policy ? { checkoutModes: policy.checkout_modes } : {}),
    ...(time ? { clock: clockOf(time) } : {}),
  }
}

async function load(path: string): Promise<ScenarioData> {
  try {
    return (await loadScenario(path)).data
  } catch (cause) {
    if (cause instanceof ScenarioError) throw new StartError(cause.message, 2)
    throw cause
  }
}

function clockOf(setting: NonNullable<ScenarioData['clock']>): NonNullable<Script['clock']> {
  if (typeof setting === 'string') return { mode: setting }
  const now = setting.now === undefined ? undefined : parseTimestamp(setting.now)
  const rate = setting.rate === undefined ? undefined : Number.parseFloat(String(setting.rate))
  return {
    mode: setting.mode,
    ...(now === undefined ? {} : { now }),
    ...(rate === undefined ? {} : { rate }),
  }
}

/** A file is watched by its folder: many editors put another file in its place. */
export function rereadOnChange(paths: readonly string[], reread: () => Promise<void>): void {
  let settling: NodeJS.Timeout | undefined
  for (const path of paths)
    watch(dirname(path), { persistent: false }, (_, name) => {
      if (name !== basename(path)) return
      clearTimeout(settling)
      settling = setTimeout(reread, SETTLED_MS)
    })
}
