/** How many histories to play: few where people wait for them, 10,000 in CI. */
export const RUNS = Number(process.env.PAYSIM_MODEL_RUNS ?? 300)

/** Chosen anew for each run, and said: PAYSIM_MODEL_SEED plays the same histories again. */
export function seedOf(what: string, runs: number): number {
  const seed = Number(process.env.PAYSIM_MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`model: ${runs} histories ${what}, PAYSIM_MODEL_SEED=${seed}\n`)
  return seed
}

/** For a machine that is slow and busy with other things. */
export const TEN_MINUTES = 600_000
