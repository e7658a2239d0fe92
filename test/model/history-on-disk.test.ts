import fc from 'fast-check'
import { test } from 'vitest'
import { play } from '../support/model/history.ts'
import { FileShelf } from '../support/model/journals.ts'
import { RUNS, seedOf, TEN_MINUTES } from '../support/model/runs.ts'
import { histories } from '../support/model/steps.ts'

test(
  'the promises also hold on disk, where a restart may find an incomplete last line',
  async () => {
    const numRuns = Math.ceil(RUNS / 10)
    const property = fc.asyncProperty(histories, async steps => play(await FileShelf.make(), steps))
    await fc.assert(property, { numRuns, seed: seedOf('on disk', numRuns) })
  },
  TEN_MINUTES,
)
