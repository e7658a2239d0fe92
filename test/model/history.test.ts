import fc from 'fast-check'
import { test } from 'vitest'
import { play } from '../support/model/history.ts'
import { MemoryShelf } from '../support/model/journals.ts'
import { RUNS, seedOf, TEN_MINUTES } from '../support/model/runs.ts'
import { histories } from '../support/model/steps.ts'

test(
  'the promises of the interface document hold after each step of a random history',
  async () => {
    const property = fc.asyncProperty(histories, steps => play(new MemoryShelf(), steps))
    await fc.assert(property, { numRuns: RUNS, seed: seedOf('in memory', RUNS) })
  },
  TEN_MINUTES,
)
