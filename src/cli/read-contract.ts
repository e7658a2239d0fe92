import type { Contract } from '../contract/decisions.ts'
import { ContractFault, resolveContract } from '../contract/resolve-contract.ts'
import { UsageFault } from './faults/usage-fault.ts'
import { readObjectFile } from './read-file.ts'

/** The decisions with the overrides of a file, or of what a profile keeps of one. */
export async function readContract(
  overrides: string | Readonly<Record<string, unknown>> | undefined,
): Promise<Contract> {
  try {
    return resolveContract(typeof overrides === 'string' ? await readObjectFile(overrides) : overrides)
  } catch (fault) {
    throw fault instanceof ContractFault ? new UsageFault(fault.message) : fault
  }
}
