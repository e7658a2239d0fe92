import type { Check, ScenarioData } from '../schema/file.ts'
import type { Problems } from './problems.ts'

/** What a check looks for in the file, and how somebody gives it some. */
const NEEDS = {
  rules: { key: 'provider', steps: ['set rules', 'add rules'], asks: 'every rule was used' },
  faults: { key: 'faults', steps: ['set faults'], asks: 'every fault was hit' },
} as const satisfies Partial<Record<Check, object>>

/** "Each rule was used" is true of no rules at all: a file that has none says nothing by it, and is not told so. */
export function checkVerify(data: Partial<ScenarioData>, faults: Problems): void {
  // `all` is all that there is to check.
  if (!Array.isArray(data.verify)) return
  for (const [at, check] of data.verify.entries()) {
    if (check !== 'rules' && check !== 'faults') continue
    const { key, steps, asks } = NEEDS[check]
    const has = (data[key] ?? []).length > 0 || steps.some(step => isListed(data.steps ?? [], step))
    if (!has)
      faults.say(
        ['verify', at],
        `verify asks whether ${asks}, and this file has none: add one under ${key}, or leave out ${check}`,
      )
  }
}

/** Whether a step, or one inside a `repeat` or a `parallel`, lists something under this word. */
function isListed(value: unknown, word: string): boolean {
  if (Array.isArray(value)) return value.some(item => isListed(item, word))
  if (typeof value !== 'object' || value === null) return false
  const { [word]: list, steps, parallel } = value as Record<string, unknown>
  return (Array.isArray(list) && list.length > 0) || isListed(steps, word) || isListed(parallel, word)
}
