import { type Catalogue, type ClockSetting, ControlError } from '../../client/control-client.ts'
import { StartError } from '../../engine/start-error.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'
import { loadScenario } from '../../scenario/load/load.ts'
import { ScenarioError } from '../../scenario/load/problems.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { type CatalogueLists, overlay } from '../../scenario/schema/catalogue.ts'

const MERCHANT = 'default'

/** Scenario files, as they are to be laid over a merchant. */
export async function readOverlays(paths: readonly string[]): Promise<Scenario[]> {
  try {
    return await Promise.all(paths.map(loadScenario))
  } catch (cause) {
    if (cause instanceof ScenarioError) throw new StartError(cause.message, 2)
    throw cause
  }
}

/**
 * Makes the default merchant anew, with everything of the scenarios but their steps: so its time may begin where they
 * say, and a reset leads back there. Rules and faults of later files come after those of earlier ones; of the rest
 * the last word holds.
 */
export async function layOver(
  { control }: RunningSimulator,
  scenarios: readonly Scenario[],
  given: { readonly clock?: ClockSetting },
): Promise<void> {
  const all = scenarios.map(({ data }) => data)
  const last = <K extends 'clock' | 'policy'>(key: K) => all.findLast(data => data[key] !== undefined)?.[key]
  const rules = all.flatMap(({ provider }) => provider ?? [])
  const faults = all.flatMap(data => data.faults ?? [])
  const clock = given.clock ?? last('clock')
  try {
    const standard: unknown = await control.account(`${MERCHANT}.test`).catalogue.get()
    const catalogue = all.reduce(
      (base, data) => (data.catalogue ? overlay(base as CatalogueLists, data.catalogue) : base),
      standard,
    )
    const { id, name } = await control.merchants.get(MERCHANT)
    await control.merchants.remove(id)
    await control.merchants.create({
      id,
      name,
      ...last('policy'),
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
