import { type Command, Option } from 'commander'
import { newCommand } from '../new-command.ts'
import { type OutputFlags, outputFlags } from '../output/flags.ts'
import { type TargetFlags, targetFlags } from '../target/flags.ts'

/** What every command that calls the merchant API can be told. */
export interface MerchantFlags extends TargetFlags, OutputFlags {
  readonly showHeaders?: true
  readonly dryRun?: true
  readonly verbose?: true
  /** Whether answers are held against the whole contract. */
  readonly strict?: true
  /** False where a person must not be asked. */
  readonly input: boolean
  readonly yes?: true
}

interface Kind {
  /** Whether it changes something: then a live key asks first. */
  readonly changes?: boolean
  /** Whether it lists records, whose columns can be chosen. */
  readonly list?: boolean
}

/** A command that calls the merchant API: its own options go first, and these follow. */
export function merchantCommand(
  name: string,
  declare: (command: Command) => Command,
  kind: Kind = {},
): Command {
  const command = outputFlags(declare(newCommand(name)), kind)
    .optionsGroup('Call options:')
    .option('--show-headers', "print the answer's status and headers, on stderr")
    .option('--dry-run', 'print the request as curl, without secrets, and send nothing')
    .option('-v, --verbose', 'tell of each request on stderr, without secrets')
    .option('--strict', 'take no answer in which anything differs from the contract: exit code 7')
    .addOption(new Option('--no-input', 'never ask: what is missing is a fault'))
  if (kind.changes) command.option('-y, --yes', 'do not ask before something is changed with a live key')
  return targetFlags(command.optionsGroup('Target options:'))
}
