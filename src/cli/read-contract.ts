import type { Contract } from '../contract/decisions.ts'
import { ContractError, resolveContract } from '../contract/resolve-contract.ts'
import { UsageError } from './errors/usage-error.ts'
import { readObjectFile } from './read-file.ts'

/** The decisions with the overrides of a file, or of what a profile keeps of one. */
export async function readContract(
  overrides: string | Readonly<Record<string, unknown>> | undefined,
): Promise<Contract> {
  try {
    return resolveContract(typeof overrides === 'string' ? await readObjectFile(overrides) : overrides)
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(error.message) : error
  }
}
