import { closest } from './closest.ts'
import {
  type Constant,
  type Contract,
  DECISIONS,
  type Decision,
  type DecisionKey,
  isDecisionKey,
  type SwitchKey,
} from './decisions.ts'
import { formatDuration, parseDuration } from './durations.ts'
import { problemWithCreatePath } from './paths.ts'

/** The allowed values of a switch, in words; undefined for a constant. */
export function allowedValues(decision: Decision): string | undefined {
  switch (decision.kind) {
    case 'choice':
      return decision.values.join(', ')
    case 'path':
      return 'any path that nothing else uses'
    case 'duration':
      return 'a duration, such as 30m or 72h'
    case 'word or duration':
      return `${decision.value}, or a duration such as 30m or 72h`
    case 'durations':
      return 'a list of durations, such as ["0s","5s"]'
    case 'constant':
      return undefined
  }
}

/** The answer in force, in the form of an override. */
export function answerOf(key: DecisionKey, contract: Contract): string {
  const decision: Decision = DECISIONS[key]
  if (decision.kind === 'constant') return decision.answer
  const value = contract[key as SwitchKey]
  if (typeof value === 'string') return value
  // A default is shown in the form that the decision has: 72h, not 3d.
  if (JSON.stringify(value) === JSON.stringify(readValue(key, decision, standardOf(decision))))
    return [standardOf(decision)].flat().join(', ')
  return typeof value === 'number' ? formatDuration(value) : value.map(formatDuration).join(', ')
}

const standardOf = (decision: Exclude<Decision, Constant>) =>
  decision.kind === 'choice' ? decision.values[0] : decision.value

export class ContractError extends Error {}

/** The defaults with the overrides applied. Throws a ContractError that says what is allowed. */
export function resolveContract(overrides: Readonly<Record<string, unknown>> = {}): Contract {
  const contract: Record<string, unknown> = {}
  for (const [key, decision] of Object.entries<Decision>(DECISIONS)) {
    if (decision.kind === 'constant') continue
    const given = Object.hasOwn(overrides, key) ? overrides[key] : standardOf(decision)
    contract[key] = readValue(key, decision, given)
  }
  for (const key of Object.keys(overrides)) {
    if (!isDecisionKey(key)) throw new ContractError(unknownKey(key))
    if (DECISIONS[key].kind === 'constant')
      throw new ContractError(`${key} is a constant: it cannot be changed`)
  }
  return contract as unknown as Contract
}

function unknownKey(key: string): string {
  const meant = closest(key, Object.keys(DECISIONS))
  const hint = meant === undefined ? ';' : `; did you mean ${meant}?`
  return `${key} is not a decision${hint} \`paysim contract\` lists them`
}

function readValue(key: string, decision: Exclude<Decision, Constant>, given: unknown): unknown {
  const refuse = () =>
    new ContractError(`${key}: ${JSON.stringify(given)} is not allowed; allowed: ${allowedValues(decision)}`)
  switch (decision.kind) {
    case 'choice': {
      const text = typeof given === 'number' || given === null ? String(given) : given
      if (typeof text !== 'string' || !decision.values.includes(text)) throw refuse()
      return text
    }
    case 'path': {
      if (typeof given !== 'string') throw refuse()
      const problem = problemWithCreatePath(given)
      if (problem !== undefined)
        throw new ContractError(`${key}: ${JSON.stringify(given)} is not allowed: ${problem}`)
      return given
    }
    case 'duration': {
      const ms = typeof given === 'string' ? parseDuration(given) : undefined
      if (ms === undefined || ms === 0) throw refuse()
      return ms
    }
    case 'word or duration': {
      if (given === decision.value) return given
      const ms = typeof given === 'string' ? parseDuration(given) : undefined
      if (ms === undefined || ms === 0) throw refuse()
      return ms
    }
    case 'durations': {
      const parts = typeof given === 'string' ? given.split(',').map(part => part.trim()) : given
      if (!Array.isArray(parts) || parts.length === 0) throw refuse()
      const durations = parts.map(part => (typeof part === 'string' ? parseDuration(part) : undefined))
      if (durations.includes(undefined)) throw refuse()
      return durations
    }
  }
}
