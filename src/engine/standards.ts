import type { Contract } from '../contract/decisions.ts'
import { ContractError, resolveContract } from '../contract/resolve-contract.ts'
import { type Catalogue, indexCatalogue, readCatalogue } from '../domain/catalogue.ts'
import { compileRule, type Rule } from '../domain/rules/rule.ts'
import { readPackageFile } from '../package-files.ts'
import { StartError } from './store/store-errors.ts'

/** What holds for all accounts; catalogue and rules only for those without their own. */
export interface Standards {
  readonly contract: Contract
  readonly catalogue: Catalogue
  readonly rules: readonly Rule[]
}

interface Given {
  readonly contract?: Readonly<Record<string, unknown>> | undefined
  readonly catalogue?: unknown
}

/** Reads what is given. Everything else comes from the package. */
export function readStandards({ contract, catalogue }: Given): Standards {
  return {
    contract: readContract(contract),
    catalogue: chooseCatalogue(catalogue),
    rules: standardRules(),
  }
}

function readContract(overrides: Given['contract']): Contract {
  try {
    return resolveContract(overrides)
  } catch (cause) {
    if (cause instanceof ContractError) throw new StartError(`contract: ${cause.message}`, 2)
    throw cause
  }
}

function chooseCatalogue(given: unknown): Catalogue {
  if (given === undefined)
    return indexCatalogue(JSON.parse(readPackageFile('fixtures/catalogue.json').toString()))
  const read = readCatalogue(given)
  if ('catalogue' in read) return read.catalogue
  const problems = read.problems.map(({ field, message }) => `${field} ${message}`)
  throw new StartError(`catalogue: ${problems.join('; ')}`, 2)
}

/** The shipped catalogue was checked when the package was built. */
function standardRules(): readonly Rule[] {
  const { rules } = JSON.parse(readPackageFile('dist/standard-rules.json').toString())
  return rules.map(compileRule)
}
