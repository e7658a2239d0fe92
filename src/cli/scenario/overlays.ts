import { type Catalogue, type ClockSetting, ControlError } from '../../client/control-client.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import type { Script } from '../../engine/merchant-script.ts'
import { StartError } from '../../engine/store/store-errors.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { loadScenario } from '../../scenario/load/load.ts'
import { ScenarioError } from '../../scenario/load/problems.ts'
import { type CatalogueLists, overlay } from '../../scenario/schema/account.ts'
import type { Scenario, ScenarioData } from '../../scenario/schema/file.ts'

/** Reads the files of `--scenario`: everything in them but the steps is applied to the default merchant. */
export async function readOverlays(paths: readonly string[]): Promise<Scenario[]> {
  try {
    return await Promise.all(paths.map(loadScenario))
  } catch (cause) {
    if (cause instanceof ScenarioError) throw new StartError(cause.message, 2)
    throw cause
  }
}

/**
 * Combines several files. The rules and faults of later files follow those of earlier ones. Of everything else, the last
 * file that has it wins.
 */
function combine(scenarios: readonly Scenario[], standard: unknown) {
  const all = scenarios.map(({ data }) => data)
  return {
    rules: all.some(({ provider }) => provider) ? all.flatMap(({ provider }) => provider ?? []) : undefined,
    faults: all.some(({ faults }) => faults) ? all.flatMap(({ faults }) => faults ?? []) : undefined,
    policy: all.findLast(({ policy }) => policy)?.policy,
    clock: all.findLast(({ clock }) => clock)?.clock,
    catalogue: all.reduce(
      (base, data) => (data.catalogue ? overlay(base as CatalogueLists, data.catalogue) : base),
      standard,
    ),
  }
}

/** The files as a script for a simulator of this process, which `serve` may run again when a file changes. */
export async function readScript(
  paths: readonly string[],
  { standard, clock }: { standard: CatalogueData; clock: 'real' | 'virtual' | undefined },
): Promise<Script> {
  const { rules, faults, policy, catalogue, ...last } = combine(await readOverlays(paths), standard)
  const time = clock ?? last.clock
  return {
    ...(rules ? { rules } : {}),
    ...(faults ? { faults } : {}),
    ...(catalogue === standard ? {} : { catalogue: catalogue as CatalogueData }),
    ...(policy ? { checkoutModes: policy.checkout_modes } : {}),
    ...(time ? { clock: clockOf(time) } : {}),
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

const MERCHANT = 'default'

/**
 * Replaces the default merchant by one that is set up as the files say. The clock of a new merchant may start in the
 * past, and a reset restores the settings of its creation.
 */
export async function replaceMerchant(
  { control }: RunningSimulator,
  scenarios: readonly Scenario[],
  given: { readonly clock?: ClockSetting },
): Promise<void> {
  try {
    const standard: unknown = await control.account(`${MERCHANT}.test`).catalogue.get()
    const { rules = [], faults = [], policy, catalogue, ...last } = combine(scenarios, standard)
    const clock = given.clock ?? last.clock
    const { id, name } = await control.merchants.get(MERCHANT)
    await control.merchants.remove(id)
    await control.merchants.create({
      id,
      name,
      ...policy,
      ...(clock ? { clock } : {}),
      ...(catalogue === standard ? {} : { catalogue: catalogue as Catalogue }),
      ...(rules.length > 0 ? { rules } : {}),
    })
    if (faults.length === 0) return
    for (const environment of ['test', 'live'])
      await control.account(`${id}.${environment}`).faults.replace(faults)
  } catch (cause) {
    if (!(cause instanceof ControlError)) throw cause
    throw new StartError(`${scenarios.map(({ file }) => file).join(', ')}: ${cause.message}`, 2)
  }
}
