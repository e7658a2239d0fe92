import type { Command } from 'commander'
import { count, milliseconds } from '../flag-values.ts'

/** Where calls go, and as whom. */
export interface TargetFlags {
  readonly baseUrl?: string
  readonly profile?: string
  readonly account?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly requestTimeout?: number
  readonly retries?: number
}

export function targetFlags(command: Command): Command {
  return command
    .option(
      '--base-url <url>',
      'where the API is; else PAYSIM_BASE_URL, the profile, the simulator that runs here',
    )
    .option('--profile <name>', 'the keys and the address kept under this name; else PAYSIM_PROFILE')
    .option('--account <id>', 'of the simulator that runs here, as default.live')
    .option('--key-file <file>', 'the keys, as PUBLIC:SECRET; - reads them from stdin')
    .option('--contract <file>', 'how this server decided what the interface leaves open')
    .option('--ca-file <file>', 'trust these authorities, as PEM')
    .option(
      '--request-timeout <duration>',
      'how long an answer may take to begin, and then to end, such as 30s',
      milliseconds,
    )
    .option('--retries <n>', 'how often a call that may be repeated is repeated', count)
}
