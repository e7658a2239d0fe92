import type { Actor, Command } from '../domain/commands.ts'
import type { Tenant } from '../engine/tenant.ts'
import { Unavailable } from '../engine/unavailable.ts'
import { notFound, Refusal } from './refusal.ts'

/** Nothing is decided that could not be kept. */
export async function demandAvailable(tenant: Tenant): Promise<void> {
  const isAvailable = await tenant.account.available()
  // Its merchant may have been removed while the body of the request came in.
  if (tenant.removed) throw notFound('account')
  if (!isAvailable) throw new Unavailable('The journal', undefined)
}

/** Carries out a command, and returns the id of its record once the entry is safe. */
export async function carryOut(tenant: Tenant, command: Command, by: Actor): Promise<string> {
  await demandAvailable(tenant)
  const outcome = tenant.account.execute(command, by)
  await tenant.account.journal.durable(outcome.seq)
  if ('refused' in outcome) throw new Refusal(outcome.refused)
  return 'id' in outcome ? outcome.id : ''
}
