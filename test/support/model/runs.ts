import { isLong } from '../long-form.ts'

/** How many histories to run. */
export const RUNS = Number(process.env.PAYSIM_MODEL_RUNS ?? (isLong ? 10_000 : 150))

/** Random for each run, and printed: PAYSIM_MODEL_SEED repeats the same histories. */
export function seedOf(what: string, runs: number): number {
  const seed = Number(process.env.PAYSIM_MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`model: ${runs} histories ${what}, PAYSIM_MODEL_SEED=${seed}\n`)
  return seed
}

/** For a slow or busy machine. */
export const TEN_MINUTES = 600_000
