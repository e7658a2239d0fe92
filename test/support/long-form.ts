/**
 * Whether tests run in their long form, with PAYSIM_LONG=1: more runs, larger inputs, and what repeats another test on
 * other ground. vitest.config.ts lists the files that have one, as the project `long`, which continuous integration runs.
 */
export const isLong = process.env.PAYSIM_LONG !== undefined
