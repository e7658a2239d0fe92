import { type LocalSimulator, originOf } from './local-simulator.ts'

/** A gateway that a call could go to, and how it comes to be known. */
export interface TargetCandidate {
  readonly url: string
  /** As in `PAYSIM_BASE_URL`, `profile shop` or `the simulator that runs here`. */
  readonly name: string
  readonly simulator?: LocalSimulator | undefined
}

/** Where calls go, and where else they could: each gateway once. */
export interface TargetChoice {
  readonly chosen: TargetCandidate
  readonly others: () => Promise<readonly TargetCandidate[]>
  /** Whether somebody said so for this call: by a flag, or in the environment. */
  readonly named: boolean
}

export const asCandidate = (simulator: LocalSimulator): TargetCandidate => ({
  url: simulator.url,
  name: simulator.data_dir === null ? 'a simulator in memory' : `the simulator of ${simulator.data_dir}`,
  simulator,
})

export function othersThan(chosen: string, places: readonly TargetCandidate[]): TargetCandidate[] {
  const seen = new Set([originOf(chosen)])
  return places.filter(({ url }) => {
    const origin = originOf(url)
    return origin !== undefined && !seen.has(origin) && seen.add(origin)
  })
}

let announced = false

/** One line where nobody named one of several. */
export async function tellChoice({ chosen, others, named }: TargetChoice, howToName: string): Promise<void> {
  if (announced || named) return
  announced = true
  const possible = await others()
  if (possible.length === 0) return
  process.stderr.write(
    `paysim: this goes to ${placed(chosen)}, not to ${possible.map(placed).join(' or ')}; ${howToName}\n`,
  )
}

const placed = ({ url, name }: TargetCandidate) => `${originOf(url) ?? url} (${name})`
