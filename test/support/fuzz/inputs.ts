import { Chance } from './chance.ts'

/**
 * How many damaged requests, bytes and files. `npm run fuzz -- --inputs N --seed S` makes it longer; each input follows
 * from the seed and its number, which a failure prints.
 */
export const INPUTS = Number(process.env.PAYSIM_FUZZ_INPUTS ?? 1000)
/** The share of files among the inputs. The others are requests and bytes. */
export const FILES = 0.25
const SEED = Number(process.env.PAYSIM_FUZZ_SEED ?? 1)
const FIRST = Number(process.env.PAYSIM_FUZZ_FIRST ?? 0)
/** The time limit for vitest, which must not end a run that takes long on a busy machine. */
export const WHOLE_MS = INPUTS <= 1000 ? 300_000 : 24 * 3_600_000

export const chanceOf = (input: number) => new Chance(SEED * 2_654_435_761 + input)
export const repeat = (input: number) =>
  `input ${input}: npm run fuzz -- --seed ${SEED} --first ${input} --inputs 1`

/** The number of each input from the first on, for so many workers at once. */
export async function forEachInput(
  count: number,
  atOnce: number,
  act: (input: number, worker: number) => Promise<void>,
): Promise<void> {
  let next = FIRST
  const work = async (worker: number) => {
    while (next < FIRST + count) await act(next++, worker)
  }
  await Promise.all(Array.from({ length: atOnce }, (_, worker) => work(worker)))
}
