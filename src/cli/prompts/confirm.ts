import { isLive } from '../../client/credentials.ts'
import type { MerchantFlags, Session } from '../call/session.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** Whether a person can answer: prompts go to stderr, so stdout may be a pipe. */
export const canAsk = ({ input }: { readonly input: boolean }): boolean =>
  input && process.stdin.isTTY === true && process.stderr.isTTY === true

interface ConfirmFlags {
  readonly input: boolean
  readonly yes?: true
}

/** Asks before an action, unless --yes is given. `action` reads like `remove the profile shop-test`. */
export async function confirm(
  flags: ConfirmFlags,
  action: string,
  question = `${action[0]?.toUpperCase()}${action.slice(1)}?`,
): Promise<void> {
  if (flags.yes) return
  if (!canAsk(flags)) throw new UsageError(`this would ${action}: add --yes to confirm`)
  const { ask } = await import('./ask.ts')
  if (await ask.confirm({ message: question, default: false })) return
  throw new UsageError('not confirmed: nothing was changed')
}

/** Asks before anything is changed with a live key. `action` reads like `create a payment of 100.00 THB`. */
export async function confirmLive(flags: MerchantFlags, { target }: Session, action: string): Promise<void> {
  if (!isLive(target.keys.publicKey) || flags.dryRun) return
  const { origin } = new URL(target.baseUrl)
  await confirm(
    flags,
    `${action} with a live key`,
    `This key is live, at ${origin}. ${action[0]?.toUpperCase()}${action.slice(1)}?`,
  )
}
