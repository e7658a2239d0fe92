import { type Command, Option } from 'commander'
import { COMMON, newCommand } from '../command-table.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'

/** The simulator to call. */
export interface ControlTargetFlags {
  readonly controlUrl?: string
  readonly controlToken?: string
  readonly controlTokenFile?: string
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

interface ControlCommandOptions {
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
      new Option(
        '--account <id>',
        'account, such as shop.live, or shop for shop.test; default.test by default',
      ).env('PAYSIM_ACCOUNT'),
    )
  return controlTargetFlags(command)
}

export function controlTargetFlags(command: Command): Command {
  return command
    .option(
      '--control-url <url>',
      'control surface of the simulator (default: PAYSIM_CONTROL_URL, else the local simulator)',
    )
    .option(
      '--control-token <token>',
      'token of the simulator; PAYSIM_CONTROL_TOKEN keeps it out of the process list',
    )
    .option('--control-token-file <file>', 'read the token from a file; - means stdin')
}

/** The `Examples:` section of a command's help. */
export const examples = (...lines: readonly string[]): string => `\nExamples:\n  ${lines.join('\n  ')}`
