import type { Call } from '../../client/call.ts'
import { type AccountControl, ControlClient } from '../../client/control-client.ts'
import type { ControlDoor } from '../../client/control-door.ts'
import { DryRun } from '../call/dry-run.ts'
import { InterruptedError } from '../errors/cli-errors.ts'
import { openPrinter, type Printer, showHeaders } from '../output/printer.ts'
import type { View } from '../output/view.ts'
import { accountNamed } from '../target/local-simulator.ts'
import { tellChoice } from '../target/other-targets.ts'
import { type ControlTarget, findControl } from './find-control.ts'
import type { ControlFlags } from './flags.ts'

/** What one command has while it runs. */
export interface ControlSession {
  readonly control: ControlClient
  /** The account that the flags name. */
  readonly account: AccountControl
  readonly target: ControlTarget
  readonly printer: Printer
  /** Aborted by Ctrl-C, as every call is. */
  readonly signal: AbortSignal
  /** Whether a person reads along, for whom more may be asked than the answer says. */
  readonly human: boolean
  /** Shows what a call is answered with as the flags say: its data on stdout, all else on stderr. */
  readonly show: <T>(call: Call<unknown, T>, view: View<T>) => Promise<void>
}

/** Runs a command with a caller of the control surface, and closes what it opened. */
export async function withControl(
  flags: ControlFlags,
  use: (session: ControlSession) => Promise<void>,
): Promise<void> {
  const interruption = new AbortController()
  const { signal } = interruption
  const interrupt = () => interruption.abort(new InterruptedError())
  const printer = openPrinter(flags)
  // What sends nothing needs no token, since none is shown.
  const target = await findControl(flags, flags.dryRun ? 'none' : undefined)
  await tellChoice(target.choice, '--control-url or PAYSIM_DATA names one')
  const door = await doorFor(flags)
  const control = new ControlClient(target, { signal, ...(door ? { door } : {}) })
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await use({
      control,
      account: control.account(accountNamed(flags.account)),
      target,
      printer,
      signal,
      human: printer.format === 'human' && flags.query === undefined,
      async show(call, view) {
        const answer = await call.answer()
        if (flags.showHeaders) showHeaders(answer)
        await printer.show(answer, view)
      },
    })
  } catch (error) {
    if (!(error instanceof DryRun)) {
      await (await import('../target/hint-at-others.ts')).hintAtOthers(error, target.choice)
      throw error
    }
    process.stdout.write(`${error.curl}\n`)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await control.close()
  }
}

async function doorFor({ dryRun, verbose }: ControlFlags): Promise<ControlDoor | undefined> {
  if (dryRun) return (await import('./dry-run.ts')).dryRunDoor()
  if (verbose) return (await import('./logging-door.ts')).loggingDoor()
  return undefined
}
