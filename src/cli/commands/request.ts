import { Argument, type Command, InvalidArgumentError } from 'commander'
import { ApiError } from '../../client/index.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../call/session.ts'
import { readBody } from '../fields/build-request.ts'
import { didYouMean } from '../flag-values.ts'
import type { View } from '../output/view.ts'
import { confirmLive } from '../prompts/confirm.ts'
import { optionFor } from '../values.ts'

interface RequestFlags extends MerchantFlags {
  readonly data?: string
  readonly header?: readonly Pair[]
  readonly queryParam?: readonly Pair[]
  readonly idempotencyKey?: string
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export const command = (): Command =>
  merchantCommand(
    'request',
    declare =>
      declare
        .description('Make any API call with your keys, and print the answer unchanged.')
        .addArgument(new Argument('<method>', 'HTTP method, such as GET').choices(METHODS).argParser(method))
        .argument('<path>', 'path below the base URL, such as /payout_intents', path)
        .addOption(
          optionFor('-d, --data <body>', 'body to send: JSON, @file or file, or - for stdin', { body: true }),
        )
        .option('-H, --header <name:value>', 'add a header (repeatable)', addHeader)
        .option(
          '--query-param <name=value>',
          'add a query parameter; the value is encoded for you (repeatable)',
          addParameter,
        )
        .option('--idempotency-key <key>', 'idempotency key, which allows retries after a network error')
        .addHelpText(
          'after',
          `
The Content-Type is application/json, unless you set another header. If the server refuses the call, its answer is still
printed to stdout, and the exit code is the same as for any other command.

Examples:
  paysim request GET /payment_intents/pi_123
  paysim request GET /payout_intents --query-param limit=1 --query-param status=failed
  paysim request POST /payment_intents --data @payment.json --idempotency-key order-42
  echo '{"reason":"Twice"}' | paysim request POST /payout_intents/po_123/cancel --data -`,
        )
        .action((verb: string, target: string, flags: RequestFlags) =>
          withSession(flags, session => request(session, { verb, target, flags })),
        ),
    { changes: true },
  )

async function request(
  session: Session,
  { verb, target, flags }: { verb: string; target: string; flags: RequestFlags },
): Promise<void> {
  if (!READS.has(verb)) await confirmLive(flags, session, `${verb} ${target}`)
  const { client, signal, show } = session
  const body = flags.data === undefined ? undefined : await readBody(flags.data, { anything: !isJson(flags) })
  const call = client.request(verb, withParameters(target, flags.queryParam), {
    body,
    headers: {
      ...Object.fromEntries(flags.header ?? []),
      ...(flags.idempotencyKey === undefined ? {} : { 'idempotency-key': flags.idempotencyKey }),
    },
    signal,
  })
  try {
    const answer = await call.answer()
    await show(answer, unchanged(answer.text))
  } catch (error) {
    // A --query path fits the answer that was asked for, not an error.
    if (error instanceof ApiError && flags.query === undefined)
      await show(error.answer, unchanged(error.answer.text))
    throw error
  }
}

/** The body is JSON, unless a header says otherwise. */
function isJson({ header = [] }: RequestFlags): boolean {
  const [, type = 'json'] = header.findLast(([name]) => name.toLowerCase() === 'content-type') ?? []
  return type.includes('json')
}

/** A list and not an object, because a name may be repeated. */
function withParameters(target: string, parameters: readonly Pair[] = []): string {
  if (parameters.length === 0) return target
  const query = parameters.map(pair => pair.map(encodeURIComponent).join('=')).join('&')
  return `${target}${target.includes('?') ? '&' : '?'}${query}`
}

const unchanged = (text: string): View<unknown> => ({
  human: () => text,
})

type Pair = readonly [name: string, value: string]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

function method(written: string): string {
  const verb = written.toUpperCase()
  if (METHODS.some(known => known === verb)) return verb
  throw new InvalidArgumentError(`${didYouMean(verb, METHODS)}Allowed choices are ${METHODS.join(', ')}.`)
}

function path(written: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(written))
    throw new InvalidArgumentError(
      'Give only the path, such as /payout_intents. Set the base URL with --base-url.',
    )
  return written
}

/** Headers that paysim sets for the connection and the keys. */
const RESERVED = new Set(['authorization', 'connection', 'content-length', 'host', 'transfer-encoding'])

function addHeader(written: string, before: readonly Pair[] = []): Pair[] {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/s.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name and a value, such as X-Trace:abc.')
  if (RESERVED.has(name.toLowerCase())) throw new InvalidArgumentError(`paysim sets ${name} itself.`)
  return [...before, [name, value.trim()]]
}

function addParameter(written: string, before: readonly Pair[] = []): Pair[] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name and a value, such as limit=10.')
  return [...before, [name, value]]
}
