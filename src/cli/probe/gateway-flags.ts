import type { Command } from 'commander'
import { OPERATION_PATHS, problemWithCreatePath } from '../../contract/paths.ts'
import { COMMON } from '../command-table.ts'
import { UsageError, untilInterrupted } from '../errors/cli-errors.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { progressBar } from '../prompts/progress-bar.ts'
import { type TargetFlags, targetFlags } from '../where/flags.ts'
import type { Where } from '../where/where.ts'
import type { ProbeOptions } from './probe.ts'

/** How commands ask a real gateway. */
export interface GatewayFlags extends TargetFlags, OutputFlags {
  readonly allowWrites?: true
  readonly createPath?: string
}

/** Adds the options of the command, and those of every command that asks a gateway. */
export function gatewayFlags(command: Command, declare: (command: Command) => Command): Command {
  command
    .option(
      '--allow-writes',
      'also create payments, send receipts and cancel; without it, the command only reads',
    )
    .option('--create-path <path>', 'the path that creates payments, if it cannot be guessed')
  return targetFlags(outputFlags(declare(command)).optionsGroup(COMMON.target))
}

const CONNECT_TIMEOUT_MS = 10_000

/** Asks the target, shows how far that is, and ends when somebody presses Ctrl-C. */
export async function withGateway<T>(
  flags: GatewayFlags,
  where: Where,
  use: (options: ProbeOptions) => Promise<T>,
): Promise<T> {
  const { baseUrl, keys } = await where.merchant()
  const createPath = await createPathOf(flags, where)
  const ca = await where.authorities()
  const bar = progressBar('Asking', total => `${total} requests`)
  return untilInterrupted(signal =>
    use({
      baseUrl,
      keys,
      createPath,
      ca,
      allowWrites: flags.allowWrites ?? false,
      signal,
      retries: flags.retries,
      timeoutMs: flags.requestTimeout ?? CONNECT_TIMEOUT_MS,
      onProgress: bar.update,
    }),
  ).finally(bar.clear)
}

/** The path that creates payments, as an option or the contract says. */
export async function createPathOf(flags: Pick<GatewayFlags, 'createPath'>, where: Where): Promise<string> {
  if (flags.createPath === undefined)
    return (await where.contract())?.['create.path'] ?? OPERATION_PATHS.createPayment.path
  const problem = problemWithCreatePath(flags.createPath)
  if (problem !== undefined) throw new UsageError(`--create-path ${flags.createPath}: ${problem}`)
  return flags.createPath
}
