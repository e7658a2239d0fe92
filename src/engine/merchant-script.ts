import type { FaultRule } from '../contract/control/faults.ts'
import type { ProviderRule } from '../contract/control/rules.ts'
import type { CheckoutMode } from '../contract/statuses.ts'
import type { CatalogueData } from '../domain/catalogue.ts'
import { accountsOf } from './account/open-runtime.ts'
import type { Gateway } from './gateway.ts'

/**
 * How a merchant's provider, faults and clock behave from now on. Members that are left out do not change anything.
 */
export interface Script {
  readonly rules?: readonly ProviderRule[]
  readonly faults?: readonly FaultRule[]
  readonly clock?: { readonly mode: 'real' | 'virtual'; readonly now?: number; readonly rate?: number }
  readonly catalogue?: CatalogueData
  readonly checkoutModes?: readonly CheckoutMode[]
}

/** Applies a script to a merchant that may already have records: these stay, and its time never runs back. */
export async function applyScript(gateway: Gateway, merchant: string, script: Script): Promise<void> {
  const { rules, faults, clock, catalogue, checkoutModes } = script
  if (checkoutModes) await gateway.changeMerchant(merchant, { checkoutModes })
  for (const id of accountsOf(merchant)) {
    const account = (await gateway.account(id)?.open())?.account
    if (!account) continue
    if (rules) account.execute({ type: 'ReplaceRules', rules }, 'operator')
    if (faults) account.execute({ type: 'ReplaceFaults', faults }, 'operator')
    if (catalogue) account.execute({ type: 'ReplaceCatalogue', catalogue }, 'operator')
    if (clock && mayFollow(account, clock)) {
      const { mode, now: at, rate } = clock
      account.setClock(account.clock.change({ mode, at, rate }))
    }
    await account.journal.durable(account.world.seq)
  }
}

/** A clock with the right setting is not changed. The clock of an empty account may start in the past. */
function mayFollow(
  { clock, now, world }: { clock: { mode: string; rate: number }; now: number; world: { seq: number } },
  wanted: NonNullable<Script['clock']>,
): boolean {
  if (wanted.now !== undefined) return wanted.now >= now || world.seq === 0
  return clock.mode !== wanted.mode || clock.rate !== (wanted.rate ?? 1)
}
