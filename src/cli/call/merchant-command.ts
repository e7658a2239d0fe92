import { type Command, Option } from 'commander'
import { newCommand } from '../new-command.ts'
import { type OutputFlags, outputFlags } from '../output/flags.ts'
import { type TargetFlags, targetFlags } from '../target/flags.ts'

/** The options of every command that calls the merchant API. */
export interface MerchantFlags extends TargetFlags, OutputFlags {
  readonly showHeaders?: true
  readonly dryRun?: true
  readonly verbose?: true
  /** Whether answers are checked against the whole contract. */
  readonly strict?: true
  /** False if nobody may be asked. */
  readonly input: boolean
  readonly yes?: true
}

interface MerchantCommandOptions {
  /** Whether it changes something: then it asks first if the key is live. */
  readonly changes?: boolean
  /** Whether it lists records, so that columns can be chosen. */
  readonly list?: boolean
}

/** A command that calls the merchant API. Its own options come first, and the common ones follow. */
export function merchantCommand(
  name: string,
  declare: (command: Command) => Command,
  kind: MerchantCommandOptions = {},
): Command {
  const command = outputFlags(declare(newCommand(name)), kind)
    .optionsGroup('Call options:')
    .option('--show-headers', "print the answer's status and headers to stderr")
    .option('--dry-run', 'print the request as a curl command without secrets, and send nothing')
    .option('-v, --verbose', 'log each request to stderr, without secrets')
    .option('--strict', 'reject an answer that differs from the contract in any way, with exit code 7')
    .addOption(new Option('--no-input', 'never prompt: fail if something is missing'))
  if (kind.changes) command.option('-y, --yes', 'do not ask for confirmation before a change with a live key')
  return targetFlags(command.optionsGroup('Target options:'))
}
