import { test } from 'vitest'

/**
 * Whether tests run in their long form, with PAYSIM_LONG=1: more runs, larger inputs, and what repeats another test on
 * other ground. vitest.config.ts lists the files that have one, as the project `long`, which continuous integration runs.
 */
export const isLong = process.env.PAYSIM_LONG !== undefined

/** A test that only the long form has. Elsewhere its title says why it is skipped. */
export const testInLongForm = (title: string, timeoutMs: number, run: () => Promise<void>) =>
  test.skipIf(!isLong)(`${title} (in the long form)`, { timeout: timeoutMs }, run)
