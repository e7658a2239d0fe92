import { type LocalSimulator, originOf } from './local-simulator.ts'

/** A gateway that a call could go to, and how it comes to be known. */
export interface Place {
  readonly url: string
  /** As in `PAYSIM_BASE_URL`, `profile shop` or `the simulator that runs here`. */
  readonly name: string
  readonly simulator?: LocalSimulator | undefined
}

/** Where calls go, and where else they could: each gateway once. */
export interface Choice {
  readonly chosen: Place
  readonly others: () => Promise<readonly Place[]>
  /** Whether somebody said so for this call: by a flag, or in the environment. */
  readonly named: boolean
}

export const asPlace = (simulator: LocalSimulator): Place => ({
  url: simulator.url,
  name: simulator.data_dir === null ? 'a simulator in memory' : `the simulator of ${simulator.data_dir}`,
  simulator,
})

export function othersThan(chosen: string, places: readonly Place[]): Place[] {
  const seen = new Set([originOf(chosen)])
  return places.filter(({ url }) => {
    const origin = originOf(url)
    return origin !== undefined && !seen.has(origin) && seen.add(origin)
  })
}

let told = false

/** One line where nobody named one of several. */
export async function tellChoice({ chosen, others, named }: Choice, howToName: string): Promise<void> {
  if (told || named) return
  told = true
  const possible = await others()
  if (possible.length === 0) return
  process.stderr.write(
    `paysim: this goes to ${placed(chosen)}, not to ${possible.map(placed).join(' or ')}; ${howToName}\n`,
  )
}

const placed = ({ url, name }: Place) => `${originOf(url) ?? url} (${name})`
