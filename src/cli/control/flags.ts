import { type Command, Option } from 'commander'
import { newCommand } from '../new-command.ts'
import { type OutputFlags, outputFlags } from '../output/flags.ts'

/** Which simulator is meant. */
export interface ControlTargetFlags {
  readonly controlUrl?: string
  readonly controlToken?: string
  readonly controlTokenFile?: string
}

/** What every command that calls the control surface can be told. */
export interface ControlFlags extends ControlTargetFlags, OutputFlags {
  readonly account?: string
  readonly showHeaders?: true
  readonly dryRun?: true
  readonly verbose?: true
  /** False where a person must not be asked. */
  readonly input?: boolean
  readonly yes?: true
}

interface Kind {
  /** Whether it is about one account; so it is, unless said otherwise. */
  readonly account?: boolean
  /** Whether it prints records, and not bytes as they are. */
  readonly records?: boolean
  /** Whether the records are a list, whose columns can be chosen. */
  readonly list?: boolean
  /** Whether there is one answer, whose headers can be shown. */
  readonly headers?: boolean
  /** Whether it asks before it does what cannot be undone. */
  readonly asks?: boolean
}

/** A command that calls the control surface: its own options go first, and these follow. */
export function controlCommand(
  name: string,
  declare: (command: Command) => Command,
  { account = true, records = true, list = false, headers = records, asks = false }: Kind = {},
): Command {
  const command = declare(newCommand(name))
  if (records) outputFlags(command, { list })
  command.optionsGroup('Call options:')
  if (headers) command.option('--show-headers', "print the answer's status and headers, on stderr")
  command
    .option('--dry-run', 'print the request as curl, without the token, and send nothing')
    .option('-v, --verbose', 'tell of each request on stderr')
  if (asks)
    command
      .addOption(new Option('--no-input', 'never ask: what is missing is a fault'))
      .option('-y, --yes', 'do not ask')
  command.optionsGroup('Target options:')
  if (account)
    command.addOption(
      new Option('--account <id>', 'as shop.live, or shop for shop.test; default.test otherwise').env(
        'PAYSIM_ACCOUNT',
      ),
    )
  return controlTargetFlags(command)
}

function controlTargetFlags(command: Command): Command {
  return command
    .option('--control-url <url>', 'of the simulator; else PAYSIM_CONTROL_URL, else the one that runs here')
    .option('--control-token <token>', 'its token; PAYSIM_CONTROL_TOKEN keeps it out of the process list')
    .option('--control-token-file <file>', 'the same from a file; - reads it from stdin')
}
