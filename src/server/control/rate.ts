import { refuseProblems } from '../refusal.ts'

/** How much faster than the wall clock: 60, or `60x`. */
export function rateIn(rate: number | string | undefined): number {
  if (rate === undefined) return 1
  const value = typeof rate === 'number' ? rate : Number(/^(\d+(?:\.\d+)?)x?$/.exec(rate)?.[1] ?? Number.NaN)
  if (value > 0 && value <= 1_000_000) return value
  throw refuseProblems([{ field: 'rate', message: 'must be a factor above 0, such as 60 or 60x' }])
}
