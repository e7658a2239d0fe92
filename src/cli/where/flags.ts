import type { Command } from 'commander'
import { count, milliseconds } from '../flag-values.ts'
import { optionFor } from '../values.ts'

/** Where calls go, and with which keys. */
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
      'base URL of the API (default: PAYSIM_BASE_URL, then the profile, then the local simulator)',
    )
    .addOption(
      optionFor(
        '--profile <name>',
        'use the address and the keys of this profile (default: PAYSIM_PROFILE)',
        {
          known: 'profiles',
        },
      ),
    )
    .addOption(
      optionFor('--account <id>', 'use this account of the local simulator, such as default.live', {
        known: 'accounts',
      }),
    )
    .option('--key-file <file>', 'read the keys as PUBLIC:SECRET from this file; - means stdin')
    .option('--contract <file>', 'contract file with the decisions of this server')
    .option('--ca-file <file>', 'trust the certificate authorities in this PEM file')
    .option(
      '--request-timeout <duration>',
      'time limit for an answer to start, and again for it to end, such as 30s',
      milliseconds,
    )
    .option('--retries <n>', 'how many times to retry a call that is safe to repeat', count)
}

/** The simulator to call. */
export interface ControlTargetFlags {
  readonly controlUrl?: string
  readonly controlToken?: string
  readonly controlTokenFile?: string
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
