import { type Command, Option } from 'commander'
import type { Call } from '../../client/call.ts'
import { type AccountControl, ControlClient } from '../../client/control-client.ts'
import { type ControlTransport, controlTransport } from '../../client/control-transport.ts'
import { CURL_CONTROL_TOKEN, dryRunTransport, logged, runCalls } from '../call/session.ts'
import { COMMON, newCommand } from '../command-table.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter, type Printer, showHeaders } from '../output/printer.ts'
import type { View } from '../output/view.ts'
import { optionFor } from '../values.ts'
import { reportChoice } from '../where/choice.ts'
import type { Control } from '../where/control.ts'
import { type ControlTargetFlags, controlTargetFlags } from '../where/flags.ts'
import { accountNamed } from '../where/simulators.ts'
import { whereControlIs } from '../where/where.ts'

/** What a command uses while it runs. */
export interface ControlSession {
  readonly control: ControlClient
  /** The account that the flags name. */
  readonly account: AccountControl
  readonly target: Control
  readonly printer: Printer
  /** Aborted by Ctrl-C, like every call. */
  readonly signal: AbortSignal
  /** Whether the output is for people, who may need more than one answer. */
  readonly human: boolean
  /** Shows an answer as the flags say: its data on stdout, everything else on stderr. */
  readonly show: <T>(call: Call<unknown, T>, view: View<T>) => Promise<void>
}

/** Runs a command with a client of the control surface, and closes the client. */
export async function withControl(
  flags: ControlFlags,
  use: (session: ControlSession) => Promise<void>,
): Promise<void> {
  const printer = openPrinter(flags)
  // A dry run sends nothing, so it needs no token.
  const target = await whereControlIs(flags).control(flags.dryRun ? 'none' : undefined)
  await reportChoice(target.choice, 'choose one with --control-url or PAYSIM_DATA')
  const open = (signal: AbortSignal) => new ControlClient(target, { signal, transport: transportFor(flags) })
  const id = accountNamed(flags.account)
  const circumstances = { choice: target.choice, credentials: tokenShown(target), why: whyOf(target, id) }
  await runCalls(circumstances, open, (control, signal) =>
    use({
      control,
      account: control.account(id),
      target,
      printer,
      signal,
      human: printer.format === 'human' && flags.query === undefined,
      async show(call, view) {
        const answer = await call.answer()
        if (flags.showHeaders) showHeaders(answer)
        await printer.show(answer, view)
      },
    }),
  )
}

const tokenShown = ({ from, controlUrl, simulator }: Control) =>
  `The control token is from ${from.token}; ${
    simulator
      ? `without it, paysim takes that of the simulator at ${new URL(controlUrl).origin} by itself`
      : `\`paysim serve\` prints the right one when it starts, and \`paysim env\` in its folder`
  }.`

/** With a client of its own, because that of the command ends with it. */
const whyOf = (target: Control, account: string) => async (id: string) => {
  const control = new ControlClient(target)
  try {
    return await control.call('GET /accounts/:account/why/:id', { params: { account, id } })
  } catch {
    return undefined
  } finally {
    await control.close()
  }
}

function transportFor({ dryRun, verbose }: ControlFlags): ControlTransport {
  if (dryRun) return dryRunTransport(CURL_CONTROL_TOKEN)
  return verbose ? logged(controlTransport()) : controlTransport()
}

/** Asks before something that cannot be undone. `action` completes the sentence "This would …". */
export async function confirm(flags: ControlFlags, action: string): Promise<void> {
  if (flags.yes || flags.dryRun) return
  const prompts = await import('../prompts/confirm.ts')
  await prompts.confirm({ input: flags.input ?? true }, action)
}

/** The flags of every command that calls the control surface. */
export interface ControlFlags extends ControlTargetFlags, OutputFlags {
  readonly account?: string
  readonly showHeaders?: true
  readonly dryRun?: true
  readonly verbose?: true
  /** False if nobody may be asked. */
  readonly input?: boolean
  readonly yes?: true
}

export interface ControlCommandOptions {
  /** Whether the command is about one account; true by default. */
  readonly account?: boolean
  /** Whether it prints records, not bytes. */
  readonly records?: boolean
  /** Whether the records are a list, whose columns can be chosen. */
  readonly list?: boolean
  /** Whether there is one answer, whose headers can be shown. */
  readonly headers?: boolean
  /** Whether it asks before it does something that cannot be undone. */
  readonly asks?: boolean
}

/** A command that calls the control surface. Its own options come first in its help. */
export function controlCommand(
  name: string,
  declare: (command: Command) => Command,
  {
    account = true,
    records = true,
    list = false,
    headers = records,
    asks = false,
  }: ControlCommandOptions = {},
): Command {
  const command = declare(newCommand(name))
  if (records) outputFlags(command, { list })
  command.optionsGroup(COMMON.call)
  if (headers) command.option('--show-headers', "print the answer's status and headers to stderr")
  command
    .option('--dry-run', 'print the request as curl, without the token, and send nothing')
    .option('-v, --verbose', 'log each request to stderr')
  if (asks)
    command
      .addOption(new Option('--no-input', 'never prompt: fail if something is missing'))
      .option('-y, --yes', 'do not ask for confirmation')
  command.optionsGroup(COMMON.target)
  if (account)
    command.addOption(
      optionFor(
        '--account <id>',
        'account, such as shop.live, or shop for shop.test; default.test by default',
        { known: 'accounts' },
      ).env('PAYSIM_ACCOUNT'),
    )
  return controlTargetFlags(command)
}

/** The `Examples:` section of a command's help. */
export const examples = (...lines: readonly string[]): string => `\nExamples:\n  ${lines.join('\n  ')}`
