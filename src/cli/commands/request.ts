import { Argument, type Command, InvalidArgumentError } from 'commander'
import { ApiError } from '../../client/index.ts'
import { type MerchantFlags, merchantCommand } from '../call/merchant-command.ts'
import { type Session, withSession } from '../call/session.ts'
import { readBody } from '../fields/read-data.ts'
import { didYouMean } from '../flag-values.ts'
import { visibleLines } from '../output/text.ts'
import type { View } from '../output/view.ts'
import { confirmLive } from '../prompts/confirm.ts'

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
        .description('Makes any call, signed in, and prints what comes back as it came.')
        .addArgument(new Argument('<method>', 'as GET').choices(METHODS).argParser(method))
        .argument('<path>', 'below the base URL, as /payout_intents', path)
        .option('-d, --data <body>', 'the body as it is to be sent: JSON, @file or file, or - for stdin')
        .option('-H, --header <name:value>', 'another header (repeatable)', addHeader)
        .option('--query-param <name=value>', 'a query parameter, encoded here (repeatable)', addParameter)
        .option('--idempotency-key <key>', 'with it the call is repeated where the network fails')
        .addHelpText(
          'after',
          `
The body goes with Content-Type: application/json, unless a header says otherwise. What the server says when it
refuses is printed on stdout too, and the exit code is that of any other command.

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
    await show(answer, asItCame(answer.text))
  } catch (error) {
    // A path into what was asked for says nothing of a refusal.
    if (error instanceof ApiError && flags.query === undefined)
      await show(error.answer, asItCame(error.answer.text))
    throw error
  }
}

/** Whether the body is JSON, as it is unless a header says otherwise. */
function isJson({ header = [] }: RequestFlags): boolean {
  const [, type = 'json'] = header.findLast(([name]) => name.toLowerCase() === 'content-type') ?? []
  return type.includes('json')
}

/** As written, so that a name may come again. */
function withParameters(target: string, parameters: readonly Pair[] = []): string {
  if (parameters.length === 0) return target
  const query = parameters.map(pair => pair.map(encodeURIComponent).join('=')).join('&')
  return `${target}${target.includes('?') ? '&' : '?'}${query}`
}

const asItCame = (text: string): View<unknown> => ({
  human: () => (process.stdout.isTTY ? visibleLines(text) : text),
})

/** What a request is made of, as flags and arguments say it. */

type Pair = readonly [name: string, value: string]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

function method(written: string): string {
  const verb = written.toUpperCase()
  if (METHODS.some(known => known === verb)) return verb
  throw new InvalidArgumentError(`${didYouMean(verb, METHODS)}Allowed choices are ${METHODS.join(', ')}.`)
}

function path(written: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(written))
    throw new InvalidArgumentError('It stands below the base URL, which --base-url names: /payout_intents.')
  return written
}

/** Headers that belong to the connection, or to the keys. */
const OURS = new Set(['authorization', 'connection', 'content-length', 'host', 'transfer-encoding'])

function addHeader(written: string, before: readonly Pair[] = []): Pair[] {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/s.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name and a value, as X-Trace:abc.')
  if (OURS.has(name.toLowerCase())) throw new InvalidArgumentError(`${name} is set by paysim itself.`)
  return [...before, [name, value.trim()]]
}

function addParameter(written: string, before: readonly Pair[] = []): Pair[] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name and a value, as limit=10.')
  return [...before, [name, value]]
}
