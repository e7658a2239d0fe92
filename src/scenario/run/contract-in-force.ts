import type { ControlClient } from '../../client/control-client.ts'
import type { Contract } from '../../contract/decisions.ts'
import { ContractError, resolveContract } from '../../contract/resolve-contract.ts'

/** The decisions of a running simulator. Those of one that knows other decisions than this version are taken as usual. */
export async function contractInForce(control: ControlClient): Promise<Contract> {
  const reported = Object.entries(await control.contract())
  const switches = reported.filter(([, { kind }]) => kind === 'switch')
  try {
    return resolveContract(Object.fromEntries(switches.map(([key, { value }]) => [key, value])))
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return resolveContract()
  }
}
