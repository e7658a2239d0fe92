import type { Actor, Command } from '../domain/commands.ts'
import type { AccountRuntime } from '../engine/account/open-runtime.ts'
import { MovedError, UnavailableError } from '../engine/store/store-errors.ts'
import { notFound, RefusalError } from './refusal.ts'

/** The call has changed nothing here. The process that holds the account now can carry it out. */
export class NotCarriedOutError extends MovedError {}

/**
 * Nothing is decided while the journal cannot be written. Call it before anything of a call is carried out. Returns a
 * promise only if the call has to wait.
 */
export function demandAvailable(runtime: AccountRuntime): Promise<void> | undefined {
  const isAvailable = runtime.account.available()
  if (isAvailable !== true) return isAvailable.then(isNow => demandDecidable(runtime, isNow))
  demandDecidable(runtime, true)
  return undefined
}

function demandDecidable({ removed, account }: AccountRuntime, isAvailable: boolean): void {
  // The merchant may have been removed while the body was read.
  if (removed) throw notFound('account')
  if (account.moved) throw new NotCarriedOutError()
  if (!isAvailable) throw new UnavailableError('The journal', account.journal.failure)
}

/**
 * Waits for the one entry of a call to be durable; undefined if it is already. If the account moved before that, the entry
 * was not written, so the call has changed nothing.
 */
export const untilSafe = ({ account }: AccountRuntime, seq: number): Promise<void> | undefined =>
  account.journal.durable(seq)?.catch(cause => {
    throw cause instanceof MovedError ? new NotCarriedOutError() : cause
  })

/** Carries out a command, and returns the id of its record once the entry is safe. */
export async function carryOut(runtime: AccountRuntime, command: Command, by: Actor): Promise<string> {
  await demandAvailable(runtime)
  const outcome = runtime.account.execute(command, by)
  await untilSafe(runtime, outcome.seq)
  if ('refused' in outcome) throw new RefusalError(outcome.refused)
  return 'id' in outcome ? outcome.id : ''
}
