import { parse } from 'yaml'
import { isRecord } from '../../contract/json.ts'
import { openSimulatorTarget, readScenario, runScenario, type ScenarioResult } from '../../scenario/index.ts'
import type { SimulatorTarget } from '../../scenario/run/target.ts'
import { Wire } from '../../scenario/run/wire.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** These start a program, read a file, or name an address. */
const REFUSED = new Set(['app', 'file', 'folder', 'url', 'return_url', 'call app', 'expect app'])

/**
 * Plays the text of a scenario in an account of its own. The text comes from an agent, so it must not reach anything but
 * the simulator: it is refused if it names a program, a file or an address, and its requests go to the simulator alone.
 */
export async function playText(
  text: string,
  simulator: { readonly url: string; readonly controlUrl: string; readonly controlToken: string },
): Promise<ScenarioResult> {
  refuseWhatReachesOut(text)
  const scenario = await readScenario(text, { file: 'scenario.yaml', folder: '/nonexistent' })
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

/** Before anything else looks at the text: a check of it may look for a file. */
function refuseWhatReachesOut(text: string): void {
  let data: unknown
  try {
    data = parse(text, { merge: true, maxAliasCount: 1000 })
  } catch {
    // The reader of scenarios says what is wrong, with the line.
    return
  }
  const name = nameIn(data, 0)
  if (name !== undefined)
    throw new UsageError(
      `a scenario of run_scenario must not contain ${name}: it cannot start a program, read a file or name an address; save it as a file, and run it with \`paysim run\``,
    )
}

function nameIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.includes('://') ? 'an address (://)' : undefined
  if (depth > 64) return 'so many levels'
  if (Array.isArray(value)) return firstOf(value, item => nameIn(item, depth + 1))
  if (!isRecord(value)) return undefined
  return firstOf(Object.entries(value), ([key, inner]) =>
    REFUSED.has(key) ? `\`${key}\`` : nameIn(inner, depth + 1),
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
