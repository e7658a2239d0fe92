import { isLive } from '../../client/credentials.ts'
import type { MerchantFlags } from '../call/merchant-command.ts'
import type { Session } from '../call/session.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** Whether a person sits here who may be asked: prompts go to stderr, so stdout may well be a pipe. */
export const canAsk = ({ input }: { readonly input: boolean }): boolean =>
  input && process.stdin.isTTY === true && process.stderr.isTTY === true

/** With a live key nothing is changed that nobody confirmed. `deed` reads as in `create a payment of 100.00 THB`. */
export async function confirmLive(flags: MerchantFlags, { target }: Session, deed: string): Promise<void> {
  if (!isLive(target.keys.publicKey) || flags.yes || flags.dryRun) return
  if (!canAsk(flags)) throw new UsageError(`this would ${deed} with a live key: --yes confirms it`)
  const { ask } = await import('./ask.ts')
  const confirmed = await ask.confirm({
    message: `This is live, at ${new URL(target.baseUrl).origin}: ${deed}?`,
    default: false,
  })
  if (!confirmed) throw new UsageError('not confirmed: nothing was done')
}
