import { type LocalSimulator, originOf } from './simulators.ts'

/** A gateway that a call could go to, and where its address comes from. */
export interface TargetCandidate {
  readonly url: string
  /** Such as `PAYSIM_BASE_URL`, `profile shop` or `the local simulator`. */
  readonly name: string
  readonly simulator?: LocalSimulator | undefined
}

/** Where calls go, and where else they could go: each gateway once. */
export interface TargetChoice {
  readonly chosen: TargetCandidate
  readonly others: () => Promise<readonly TargetCandidate[]>
  /** Whether an option or the environment names the target of this call. */
  readonly named: boolean
}

export const asCandidate = (simulator: LocalSimulator): TargetCandidate => ({
  url: simulator.url,
  name: nameOf(simulator),
  simulator,
})

function nameOf({ data_dir, store = 'memory:' }: LocalSimulator): string {
  if (data_dir !== null) return `the simulator of ${data_dir}`
  return store === 'memory:' ? 'a simulator in memory' : `a simulator of ${store}`
}

export function othersThan(chosen: string, places: readonly TargetCandidate[]): TargetCandidate[] {
  const seen = new Set([originOf(chosen)])
  return places.filter(({ url }) => {
    const origin = originOf(url)
    return origin !== undefined && !seen.has(origin) && seen.add(origin)
  })
}

let reported = false

/** Prints one line if there are several gateways and nobody named one. */
export async function reportChoice({ chosen, others, named }: TargetChoice, advice: string): Promise<void> {
  if (reported || named) return
  reported = true
  const possible = await others()
  if (possible.length === 0) return
  process.stderr.write(
    `paysim: calling ${described(chosen)}, not ${possible.map(described).join(' or ')}; ${advice}\n`,
  )
}

const described = ({ url, name }: TargetCandidate) => `${originOf(url) ?? url} (${name})`
