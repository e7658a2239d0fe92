import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * How long the torture takes, and from which seed its plans follow. `npm run torture -- --seconds N --seed S` sets both.
 */
export const SECONDS = Number(process.env.PAYSIM_TORTURE_SECONDS ?? 15)
export const SEED = Number(process.env.PAYSIM_TORTURE_SEED ?? 1)
/** The time limit for vitest, which must not end a run that takes long on a busy machine. */
export const TIMEOUT_MS = Math.max(300_000, SECONDS * 4000)

/** The time of a part in milliseconds. All parts together have `SECONDS`. */
export const shareMs = (share: number) => SECONDS * share * 1000

/** The command that repeats a failure. */
export const repeatWith = (part: string, plan: number) =>
  `plan ${plan} of ${part}: npm run torture -- --seed ${SEED} --part ${part} --first ${plan}`

/** The first plan to run, which is another one than 0 only when a failure is repeated. */
export const FIRST = Number(process.env.PAYSIM_TORTURE_FIRST ?? 0)
export const isRepeat = process.env.PAYSIM_TORTURE_FIRST !== undefined

/** Counts what a part did, for the table that the long form writes. */
export class Tally {
  readonly #counts = new Map<string, number>()
  readonly #from = performance.now()

  constructor(private readonly part: string) {}

  add(what: string, count = 1): void {
    this.#counts.set(what, this.count(what) + count)
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  get elapsedMs(): number {
    return performance.now() - this.#from
  }

  /** Called when nothing was lost. */
  write(): void {
    const folder = process.env.PAYSIM_TORTURE_RESULTS
    const seconds = Math.round(this.elapsedMs / 1000)
    const counts = Object.fromEntries([...this.#counts].sort())
    if (SECONDS > 15) console.log(this.part, { seconds, ...counts })
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${this.part}.json`), JSON.stringify({ seed: SEED, seconds, counts }))
  }
}
