import type { Check, ScenarioData } from '../schema/file.ts'
import type { Problems } from './problems.ts'

/** What each check needs in the file, and how a user adds it. */
const NEEDS = {
  rules: { key: 'provider', steps: ['set rules', 'add rules'], checks: 'every rule was used' },
  faults: { key: 'faults', steps: ['set faults'], checks: 'every fault was hit' },
} as const satisfies Partial<Record<Check, object>>

/** "Every rule was used" is always true if there are no rules, so a file that names this check must have rules. */
export function checkVerify(data: Partial<ScenarioData>, problems: Problems): void {
  // `all` checks only what the file has.
  if (!Array.isArray(data.verify)) return
  for (const [at, check] of data.verify.entries()) {
    if (check !== 'rules' && check !== 'faults') continue
    const { key, steps, checks } = NEEDS[check]
    const has = (data[key] ?? []).length > 0 || steps.some(step => isListed(data.steps ?? [], step))
    if (!has)
      problems.say(
        ['verify', at],
        `verify checks that ${checks}, but this file has no ${check}: add one under ${key}, or remove ${check} from verify`,
      )
  }
}

/** Whether a step, or one inside `repeat` or `parallel`, has a list under this key. */
function isListed(value: unknown, word: string): boolean {
  if (Array.isArray(value)) return value.some(item => isListed(item, word))
  if (typeof value !== 'object' || value === null) return false
  const { [word]: list, steps, parallel } = value as Record<string, unknown>
  return (Array.isArray(list) && list.length > 0) || isListed(steps, word) || isListed(parallel, word)
}
