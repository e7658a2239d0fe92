import type { ControlClient } from '../../client/control-client.ts'
import type { Contract } from '../../contract/decisions.ts'
import { ContractError, resolveContract } from '../../contract/resolve-contract.ts'

/** The decisions of a running simulator. If its version has other decisions than this one, the defaults are used. */
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
