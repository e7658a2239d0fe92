import { InterruptedError } from '../errors/cli-errors.ts'
import type { TargetChoice } from '../target/other-targets.ts'
import { DryRunError } from './dry-run.ts'

interface Closable {
  close(): Promise<void>
}

/**
 * Opens a client, uses it until the work is done or Ctrl-C aborts the signal, and closes it. A dry run ends at its first
 * call, which is printed. An error may mean that another target was intended, so it says which others there are.
 */
export async function runCalls<C extends Closable>(
  choice: TargetChoice,
  open: (signal: AbortSignal) => C | Promise<C>,
  use: (client: C, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new InterruptedError())
  const client = await open(interruption.signal)
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await use(client, interruption.signal)
  } catch (error) {
    if (!(error instanceof DryRunError)) {
      await (await import('../target/hint-at-others.ts')).hintAtOthers(error, choice)
      throw error
    }
    process.stdout.write(`${error.curl}\n`)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await client.close()
  }
}
