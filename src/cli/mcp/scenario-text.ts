import { isRecord } from '../../contract/json.ts'
import { openSimulatorTarget, readScenario, runScenario, type ScenarioResult } from '../../scenario/index.ts'
import type { SimulatorTarget } from '../../scenario/run/target.ts'
import { Wire } from '../../scenario/run/wire.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** These name an address. An application and a file have no place in a text: its reader refuses them. */
const REFUSED = new Set(['url', 'return_url'])

/**
 * Plays the text of a scenario in an account of its own. The text comes from an agent, so its run can reach nothing but
 * the simulator: without a file it has no folder, and so no program and no file, and its wire leads to the simulator alone.
 * What names an address is refused before, so that nobody wonders why nothing came there.
 */
export async function playText(
  text: string,
  simulator: { readonly url: string; readonly controlUrl: string; readonly controlToken: string },
): Promise<ScenarioResult> {
  const scenario = await readScenario(text, { file: 'scenario.yaml', folder: null })
  const name = addressIn(scenario.data)
  if (name !== undefined)
    throw new UsageError(
      `a scenario of run_scenario must not contain ${name}: it cannot reach an address; save it as a file, and run it with \`paysim run\``,
    )
  const { target, close } = await openSimulatorTarget(simulator)
  const wire = new WireTo([target.baseUrl, target.controlUrl])
  try {
    return await runScenario(scenario, {
      target: { ...target, wire } satisfies SimulatorTarget,
      run: 'agent',
    })
  } finally {
    await wire.close()
    await close()
  }
}

function addressIn(value: unknown, depth = 0): string | undefined {
  if (depth > 64) return 'so many levels'
  if (typeof value === 'string') return value.includes('://') ? 'an address (://)' : undefined
  if (Array.isArray(value)) return firstOf(value, item => addressIn(item, depth + 1))
  if (!isRecord(value)) return undefined
  return firstOf(Object.entries(value), ([key, inner]) =>
    REFUSED.has(key) ? `\`${key}\`` : (addressIn(key) ?? addressIn(inner, depth + 1)),
  )
}

function firstOf<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** Sends only to these origins, whatever a step composes from the texts of records. */
class WireTo extends Wire {
  readonly #origins: ReadonlySet<string>

  constructor(addresses: readonly string[]) {
    super()
    this.#origins = new Set(addresses.map(address => new URL(address).origin))
  }

  override async send(sent: Parameters<Wire['send']>[0]): ReturnType<Wire['send']> {
    if (!this.#origins.has(new URL(sent.url).origin))
      throw new UsageError('a step names an address that is not the simulator')
    return super.send(sent)
  }
}
