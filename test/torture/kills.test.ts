import { afterAll, beforeAll, expect, test } from 'vitest'
import { Chance } from '../support/fuzz/chance.ts'
import { AIMS, Lives } from '../support/torture/lives.ts'
import { buildWithSmallHistory } from '../support/torture/small-history.ts'
import {
  FIRST,
  isRepeat,
  repeatWith,
  SECONDS,
  SEED,
  shareMs,
  Tally,
  TIMEOUT_MS,
} from '../support/torture/tally.ts'

/**
 * `paysim serve` is killed under load, at random moments and at chosen calls of the disk. What was answered is there;
 * what was not is complete or absent; each success has its webhook.
 */

const LIVES = 5
/** The long form kills 300 times, however slow the machine is. */
const FEWEST_KILLS = SECONDS / 5
/** Ten in the long form. */
const FEWEST_OF_EACH = Math.floor(SECONDS / 150)

let built: Awaited<ReturnType<typeof buildWithSmallHistory>>
beforeAll(async () => {
  built = await buildWithSmallHistory()
})
afterAll(() => built.remove())

test('a repeatedly killed server loses nothing', { timeout: TIMEOUT_MS }, async () => {
  const tally = new Tally('kills')
  const isEnough = () =>
    tally.elapsedMs >= shareMs(0.2) &&
    tally.count('kills') >= FEWEST_KILLS &&
    AIMS.every(aim => tally.count(`kills: ${aim}`) >= FEWEST_OF_EACH)
  let plan = FIRST
  do {
    const chance = new Chance(SEED * 2_654_435_761 + plan)
    const lives = await Lives.begin(built.binary, chance, tally)
    try {
      for (let nth = 0; nth < LIVES; nth++) await lives.live()
      await lives.end()
    } catch (cause) {
      throw new Error(repeatWith('kills', plan), { cause })
    } finally {
      await lives.discard()
    }
    plan++
  } while (!isRepeat && !isEnough())
  expect(tally.count('kills')).toBeGreaterThanOrEqual(LIVES)
  tally.write()
})
