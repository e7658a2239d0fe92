import { HOUR, MINUTE, SECOND } from '../time/instants.ts'

/** The gaps before the second and each later attempt of a webhook. The first attempt is made at once. */
export const GAPS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** When each of the ten attempts is made, counted from the event. */
export const ATTEMPTS = [0, ...GAPS].map((_, at, gaps) =>
  gaps.slice(0, at + 1).reduce((sum, gap) => sum + gap, 0),
)
