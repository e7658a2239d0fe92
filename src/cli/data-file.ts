import type { Contract } from '../contract/decisions.ts'
import { ContractError, resolveContract } from '../contract/resolve-contract.ts'
import { StartError } from '../engine/start-error.ts'
import { UsageError } from './errors/cli-errors.ts'
import { textOfFile } from './named-file.ts'

/** Reads a JSON or YAML file that an option names. */
export async function readDataFile(path: string): Promise<unknown> {
  let text: string
  try {
    text = await textOfFile(path)
  } catch (cause) {
    throw new StartError(`cannot read ${path}: ${cause instanceof Error ? cause.message : cause}`, 2)
  }
  try {
    if (path.endsWith('.json')) return JSON.parse(text)
    const { parse } = await import('./yaml.ts')
    return parse(text)
  } catch (cause) {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new StartError(`${path}: ${line}`, 2)
  }
}

export async function readObjectFile(path: string): Promise<Record<string, unknown>> {
  const value = await readDataFile(path)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StartError(`${path} must contain one object`, 2)
  return value as Record<string, unknown>
}

/** All decisions, with the overrides of a file or of a profile. */
export async function readContract(
  overrides: string | Readonly<Record<string, unknown>> | undefined,
): Promise<Contract> {
  try {
    return resolveContract(typeof overrides === 'string' ? await readObjectFile(overrides) : overrides)
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(error.message) : error
  }
}
