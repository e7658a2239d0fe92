import { type Command, Option } from 'commander'
import type { ControlTransport } from '../../client/control-transport.ts'
import { type ClientOptions, createClient } from '../../client/create-client.ts'
import type { Keys } from '../../client/credentials.ts'
import type { Answer, Client, RequestRecord, Transport, Upload, WireRequest } from '../../client/index.ts'
import { shellQuoted } from '../../contract/shell-words.ts'
import { COMMON, newCommand } from '../command-table.ts'
import { InterruptedError } from '../errors/cli-errors.ts'
import type { Circumstances } from '../errors/hints.ts'
import { hideKeys } from '../output/door.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter, type Printer, showHeaders } from '../output/printer.ts'
import type { View } from '../output/view.ts'
import { reportChoice } from '../where/choice.ts'
import { type TargetFlags, targetFlags } from '../where/flags.ts'
import { placeOfKeys } from '../where/keys.ts'
import type { Merchant } from '../where/merchant.ts'
import { type Where, whereIs } from '../where/where.ts'

/** What a command needs to make calls. */
export interface Session {
  readonly client: Client
  readonly target: Merchant
  readonly where: Where
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
  const where = whereIs(flags)
  const target = await where.merchant(flags.dryRun ? DRY_KEYS : undefined)
  await reportChoice(target.choice, 'choose one with --base-url, --profile or --account')
  const open = async () => createClient(await clientOptions(flags, target, where))
  const circumstances = { choice: target.choice, credentials: keysShown(target), why: whyOf(where) }
  await runCalls(circumstances, open, async (client, signal) => {
    const printer = openPrinter(flags)
    await use({
      client,
      target,
      where,
      printer,
      signal,
      async show(answer, view) {
        if (flags.showHeaders) showHeaders(answer)
        await printer.show(answer, view)
      },
    })
  })
}

const keysShown = ({ keys, from }: Merchant) =>
  `The keys are ${keys.publicKey} and its secret key, from ${placeOfKeys(from.keys)}; \`paysim doctor\` says where keys are looked for.`

const whyOf = (where: Where) => async (id: string) => {
  const { whyHere } = await import('../where/own-account.ts')
  return whyHere(where, id)
}

async function clientOptions(
  flags: MerchantFlags,
  { baseUrl, keys }: Merchant,
  where: Where,
): Promise<ClientOptions> {
  hideKeys(keys)
  const transport: Transport | undefined = flags.dryRun ? dryRunTransport(CURL_KEYS) : undefined
  return {
    baseUrl,
    ...keys,
    transport,
    retries: flags.retries,
    strict: flags.strict,
    timeoutMs: flags.requestTimeout,
    createPath: (await where.contract())?.['create.path'],
    ca: await where.authorities(),
    onRequest: flags.verbose && !flags.dryRun ? logRequest : undefined,
  }
}

/** Prints one attempt to stderr. The client has removed the secrets. */
function logRequest(record: RequestRecord): void {
  const { method, url, attempt, durationMs, status, requestId, problem, retryInMs, headers } = record
  const facts = [
    `${method} ${url}`,
    attempt > 1 ? `attempt ${attempt}` : '',
    status === undefined ? (problem ?? 'no answer') : String(status),
    `${Math.round(durationMs)} ms`,
    requestId ?? '',
    headers['idempotency-key'] === undefined ? '' : `idempotency-key ${headers['idempotency-key']}`,
    retryInMs === undefined ? '' : `retry in ${Math.round(retryInMs)} ms`,
  ]
  process.stderr.write(`${facts.filter(fact => fact !== '').join('  ')}\n`)
}

/** The same transport, which prints each request to stderr. */
export function logged(transport: ControlTransport): ControlTransport {
  return {
    async open(request, waiting) {
      const startedAt = performance.now()
      const { method, origin, path } = request
      const log = (outcome: Pick<RequestRecord, 'status' | 'requestId' | 'problem'>) =>
        logRequest({
          method,
          url: `${origin}${path}`,
          headers: {},
          attempt: 1,
          durationMs: performance.now() - startedAt,
          ...outcome,
        })
      try {
        const answer = await transport.open(request, waiting)
        const requestId = answer.headers['request-id']
        log({ status: answer.status, ...(requestId === undefined ? {} : { requestId }) })
        return answer
      } catch (error) {
        log({ problem: String(error) })
        throw error
      }
    },
    close: () => transport.close(),
  }
}

interface Closable {
  close(): Promise<void>
}

/**
 * Opens a client, uses it until the work is done or Ctrl-C aborts the signal, and closes it. A dry run ends at its first
 * call, which is printed. An error says what the next step is, such as another target that may have been intended.
 */
export async function runCalls<C extends Closable>(
  circumstances: Circumstances,
  open: (signal: AbortSignal) => C | Promise<C>,
  use: (client: C, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new InterruptedError())
  const client = await open(interruption.signal)
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await use(client, interruption.signal)
  } catch (error) {
    if (!(error instanceof DryRunError)) {
      await (await import('../errors/hints.ts')).hintAtNext(error, circumstances)
      throw error
    }
    process.stdout.write(`${error.curl}\n`)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await client.close()
  }
}

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
    .optionsGroup(COMMON.call)
    .option('--show-headers', "print the answer's status and headers to stderr")
    .option('--dry-run', 'print the request as a curl command without secrets, and send nothing')
    .option('-v, --verbose', 'log each request to stderr, without secrets')
    .option('--strict', 'reject an answer that differs from the contract in any way, with exit code 7')
    .addOption(new Option('--no-input', 'never prompt: fail if something is missing'))
  if (kind.changes) command.option('-y, --yes', 'do not ask for confirmation before a change with a live key')
  return targetFlags(command.optionsGroup(COMMON.target))
}

/** Ends a command before its request is sent, with a curl command for the request. */
export class DryRunError extends Error {
  constructor(readonly curl: string) {
    super('nothing was sent')
  }
}

/** Stand in for keys that a dry run neither sends nor shows. */
const DRY_KEYS: Keys = { publicKey: 'none', secretKey: 'none' }

/** Credentials for curl that name variables instead of showing secrets: the command works if they are set. */
const CURL_KEYS = '-u "$PAYSIM_PUBLIC_KEY:$PAYSIM_SECRET_KEY"'
export const CURL_CONTROL_TOKEN = '-H "Authorization: Bearer $PAYSIM_CONTROL_TOKEN"'

/** Sends nothing: throws a `DryRunError` for the first request. */
export function dryRunTransport(credentials: string): Transport & ControlTransport {
  const show = async (request: WireRequest) => {
    throw new DryRunError(asCurl(request, credentials))
  }
  return { send: show, open: show, close: async () => {} }
}

/** Headers that are secret, or that curl sets itself. */
const OMITTED = new Set(['authorization', 'accept-encoding', 'user-agent', 'content-length', 'accept'])

function asCurl({ method, origin, path, headers, body }: WireRequest, credentials: string): string {
  const shown = Object.entries(headers).filter(([name]) => !OMITTED.has(name))
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(`${origin}${path}`)}`,
    credentials,
    ...shown.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : typeof body === 'string'
        ? [`--data-raw ${shellQuoted(body)}`]
        : fileOf(body)),
  ].join(' \\\n  ')
}

function fileOf({ path, filename, contentType, fields }: Upload): string[] {
  const file = path ?? filename
  if (fields === 'none')
    return [`-H ${shellQuoted(`content-type: ${contentType}`)}`, `--data-binary ${shellQuoted(`@${file}`)}`]
  const others = Object.entries(fields ?? {}).map(([name, value]) => `-F ${shellQuoted(`${name}=${value}`)}`)
  return [...others, `-F ${shellQuoted(`file=@${file};type=${contentType}`)}`]
}
