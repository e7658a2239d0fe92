import { UsageError } from '../errors/cli-errors.ts'
import { canAsk } from '../prompts/confirm.ts'
import type { ControlFlags } from './flags.ts'

/** What cannot be undone is not done before somebody confirmed it. `deed` reads as in `empty shop.test`. */
export async function confirm(flags: ControlFlags, deed: string): Promise<void> {
  if (flags.yes || flags.dryRun) return
  if (!canAsk({ input: flags.input ?? true })) throw new UsageError(`this would ${deed}: --yes confirms it`)
  const { ask } = await import('../prompts/ask.ts')
  const confirmed = await ask.confirm({
    message: `${deed[0]?.toUpperCase()}${deed.slice(1)}?`,
    default: false,
  })
  if (!confirmed) throw new UsageError('not confirmed: nothing was done')
}
