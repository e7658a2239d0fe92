import { type ClientOptions, createClient } from '../../client/create-client.ts'
import type { Answer, Client, Transport } from '../../client/index.ts'
import { openPrinter, type Printer, showHeaders } from '../output/printer.ts'
import type { View } from '../output/view.ts'
import type { Profile } from '../profiles/profiles.ts'
import { findTarget, type Target } from '../target/find-target.ts'
import { reportChoice } from '../target/other-targets.ts'
import { CURL_KEYS, DRY_KEYS, dryRunTransport } from './dry-run.ts'
import type { MerchantFlags } from './merchant-command.ts'
import { logRequest } from './request-log.ts'
import { runCalls } from './run-calls.ts'

/** What a command needs to make calls. */
export interface Session {
  readonly client: Client
  readonly target: Target
  readonly printer: Printer
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Prints an answer as the options say: the data to stdout, everything else to stderr. */
  readonly show: <T>(answer: Answer<T>, view: View<T>) => Promise<void>
}

/** Runs a command with a client for its target, and closes what it opened. */
export async function withSession(
  flags: MerchantFlags,
  use: (session: Session) => Promise<void>,
): Promise<void> {
  // A dry run sends nothing and shows no keys, so it needs none.
  const target = await findTarget(flags, flags.dryRun ? DRY_KEYS : undefined)
  await reportChoice(target.choice, 'choose one with --base-url, --profile or --account')
  const open = async () => createClient(await clientOptions(flags, target))
  await runCalls(target.choice, open, async (client, signal) => {
    const printer = openPrinter(flags)
    await use({
      client,
      target,
      printer,
      signal,
      async show(answer, view) {
        if (flags.showHeaders) showHeaders(answer)
        await printer.show(answer, view)
      },
    })
  })
}

async function clientOptions(
  flags: MerchantFlags,
  { baseUrl, keys, profile }: Target,
): Promise<ClientOptions> {
  const caFile = flags.caFile ?? profile?.ca_file
  const transport: Transport | undefined = flags.dryRun ? dryRunTransport(CURL_KEYS) : undefined
  return {
    baseUrl,
    ...keys,
    transport,
    retries: flags.retries,
    strict: flags.strict,
    timeoutMs: flags.requestTimeout,
    createPath: await readCreatePath(flags.contract ?? profile?.contract),
    ca: caFile === undefined ? undefined : await authorities(caFile),
    onRequest: flags.verbose && !flags.dryRun ? logRequest : undefined,
  }
}

/** The path that creates payments, if a contract file says where that is. */
async function readCreatePath(contract: string | Profile['contract']): Promise<string | undefined> {
  if (contract === undefined) return undefined
  const { readContract } = await import('../data-file.ts')
  return (await readContract(contract))['create.path']
}

async function authorities(path: string): Promise<string> {
  const { readAuthorities } = await import('../target/read-credentials.ts')
  return readAuthorities(path)
}
