import type { Actor, Command } from '../domain/commands.ts'
import type { AccountRuntime } from '../engine/account-runtime.ts'
import { UnavailableError } from '../engine/unavailable.ts'
import { notFound, RefusalError } from './refusal.ts'

/** Nothing is decided while the journal cannot be written. */
export async function demandAvailable(runtime: AccountRuntime): Promise<void> {
  const isAvailable = await runtime.account.available()
  // The merchant may have been removed while the body was read.
  if (runtime.removed) throw notFound('account')
  if (!isAvailable) throw new UnavailableError('The journal', undefined)
}

/** Carries out a command, and returns the id of its record once the entry is safe. */
export async function carryOut(runtime: AccountRuntime, command: Command, by: Actor): Promise<string> {
  await demandAvailable(runtime)
  const outcome = runtime.account.execute(command, by)
  await runtime.account.journal.durable(outcome.seq)
  if ('refused' in outcome) throw new RefusalError(outcome.refused)
  return 'id' in outcome ? outcome.id : ''
}
