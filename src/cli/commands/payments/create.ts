import type { Command } from 'commander'
import {
  type Answer,
  ApiError,
  type CreatePayment,
  type PaymentIntent,
  UnexpectedAnswerError,
} from '../../../client/index.ts'
import { isRecord } from '../../../contract/json.ts'
import { shellWords } from '../../../contract/shell-words.ts'
import { createAll } from '../../call/create-all.ts'
import { differences, reportMadeOtherwise } from '../../call/other-answer.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../../call/session.ts'
import { FilesError, UsageError } from '../../errors/cli-errors.ts'
import { addHint } from '../../errors/report-error.ts'
import { type Body, merge, moneyOf, textAt, valueAt } from '../../fields/body.ts'
import {
  buildRequest,
  listed,
  missingFields,
  nameFlags,
  readData,
  refuseMissing,
  reportRejectedFields,
  requestFrom,
} from '../../fields/build-request.ts'
import { listIn, readList } from '../../fields/list-file.ts'
import {
  FIELD_NAMES,
  type FieldFlags,
  fieldFlags,
  isRequestField,
  type KeyFlags,
  keyFlags,
  keyFor,
  REQUEST_FIELDS,
} from '../../fields/request-fields.ts'
import { asCalled } from '../../help-text.ts'
import {
  idColumn,
  listView,
  memberColumn,
  moneyColumn,
  statusColumn,
  timeColumn,
} from '../../output/columns.ts'
import { paymentView } from '../../output/views/payment.ts'
import { canAsk, confirmLive } from '../../prompts/confirm.ts'
import { suggestNextStep } from '../payments.ts'

type CreateFlags = MerchantFlags & FieldFlags & KeyFlags

export const command = (): Command => {
  const typed: (readonly [string, string?])[] = []
  return recorded(
    typed,
    merchantCommand(
      'payments create',
      declare =>
        keyFlags(
          fieldFlags(
            declare.description('Create a payment. In a terminal, the command asks for missing details.'),
          ),
        )
          .addHelpText('after', MORE)
          .action((flags: CreateFlags) => create(flags, typed)),
      { changes: true },
    ),
  )
}

const paymentsView = listView<PaymentIntent>('No payments.', [
  idColumn(),
  statusColumn('status', 'status'),
  moneyColumn(),
  memberColumn('method', 'payment_method', { give: 2 }),
  memberColumn('reference', 'merchant_reference', { give: 1 }),
  timeColumn('created', 'created_at', { give: 3 }),
])

const MORE = `
An amount of digits only is in minor units. --data takes JSON and YAML; other options override it, --set changes one field
of the result that exists, and unknown fields are sent unchanged. If you repeat --data, JSON on the command line overrides
files, and files override stdin. You can also repeat --option and --set.

A file named .csv or .jsonl is a list: each line creates a payment, and other options apply to all of them. The columns of
CSV are the fields, such as customer.name. The idempotency key of a line follows from the name of the file, or from
--idempotency-key, and from what the line says: a second run within 24 hours makes nothing twice.

Examples:
  paysim payments create --amount '1,234.50 THB' --country TH --merchant-reference order-1
  paysim payments create --amount 10000 --currency THB --country TH --checkout-mode merchant \\
    --payment-method th_promptpay --merchant-reference order-2
  paysim payments create --data @order.json --option bank=bbl --customer-name 'Somchai Jaidee'
  paysim payments create --data orders.csv --currency THB --country TH -o jsonl > payments.jsonl
  jq .payment order.json | paysim payments create --data - --query next_action.url`

/** Records the options as typed, to print the whole command after the questions. */
function recorded(typed: (readonly [string, string?])[], command: Command): Command {
  for (const { long } of command.options)
    if (long)
      command.on(`option:${long.slice(2)}`, (value?: string | null) => {
        typed.push(value == null ? [long] : [long, value])
      })
  return command
}

async function create(flags: CreateFlags, typed: TypedFlags): Promise<void> {
  if (flags.keyFile === '-' && flags.data?.some(source => source === '-' || source === '@-'))
    throw new UsageError('--data and --key-file cannot both read stdin: give a file for one of them')
  const { list, others } = listIn(flags.data)
  if (list !== undefined) return createListed(list, { ...flags, data: others })
  const { body, notes } = await buildRequest(flags)
  for (const note of notes) process.stderr.write(`${note}\n`)
  await withSession(flags, session => createPayment(body, { flags, session, typed }))
}

/** Creates a payment for each line of a list. */
async function createListed(source: string, flags: CreateFlags): Promise<void> {
  const { idempotencyKey } = flags
  if (idempotencyKey === false)
    throw new UsageError('a list needs its keys, which make sure that a second run repeats nothing')
  const [{ name, lines, notes }, data] = await Promise.all([
    readList(source, FIELD_NAMES),
    readData(flags.data ?? []),
  ])
  for (const note of notes) process.stderr.write(`${note}\n`)
  const asked = lines.map(({ place, body }) => ({
    place,
    body: requestFrom(merge(body, data), flags).body,
  }))
  await withSession(flags, async session => {
    const { client, printer, signal } = session
    const referenceOptional = await isReferenceOptional(session)
    const incomplete = asked.flatMap(({ place, body }) => {
      const missing = missingFields(body, { referenceOptional })
      return missing.length === 0 ? [] : [`${place}: ${listed(missing)} missing`]
    })
    if (incomplete.length > 0) throw new FilesError(incomplete.join('\n'))
    await confirmLive(flags, session, `create ${asked.length} payments`)
    await createAll<PaymentIntent>({
      list: { name, lines: asked, notes },
      keyedBy: idempotencyKey,
      printer,
      view: paymentsView,
      strict: flags.strict,
      send: ({ body }, idempotencyKey) =>
        client.payments.create(body as unknown as CreatePayment, { idempotencyKey, signal }).answer(),
    })
  })
}

/** Creates the payment. A person is asked for missing and rejected fields; a script gets an error. */
async function createPayment(begun: Body, creation: Creation): Promise<void> {
  const { flags, session, typed } = creation
  const missing = missingFields(begun, { referenceOptional: await isReferenceOptional(creation.session) })
  // A dry run sends nothing, so it cannot look up methods to ask about.
  const interactive = canAsk(flags) && !flags.dryRun
  if (!interactive) refuseMissing(missing)
  let body = begun
  if (missing.length > 0) {
    const { askMissing } = await import('../../prompts/payment-guide.ts')
    body = await askMissing(begun, creation)
  }
  for (;;) {
    const result = await attempt(body, creation, interactive)
    if ('answer' in result) {
      await session.show(result.answer, paymentView)
      const found = differences(body, result.answer.body, flags)
      if (found.length > 0) return reportMadeOtherwise(result.answer.body.id, found)
      suggestNextStep(result.answer.body, creation)
      if (body !== begun)
        process.stderr.write(
          asCalled(`\nThe same without questions:\n  ${equivalentCommand('payments create', typed, body)}\n`),
        )
      return
    }
    const { askRejected } = await import('../../prompts/payment-guide.ts')
    body = await askRejected(body, result.rejected, creation)
  }
}

type CreationResult =
  | { readonly answer: Answer<PaymentIntent> }
  | { readonly rejected: ReturnType<typeof reportRejectedFields> }

async function attempt(
  body: Body,
  { flags, session }: Creation,
  interactive: boolean,
): Promise<CreationResult> {
  await confirmLive(flags, session, `create a payment of ${moneyOf(body)}`)
  const options = { idempotencyKey: keyFor(flags), signal: session.signal }
  try {
    // The server validates the body, because it may know more fields than this version.
    return {
      answer: await session.client.payments.create(body as unknown as CreatePayment, options).answer(),
    }
  } catch (error) {
    const rejected = interactive ? reportRejectedFields(error) : []
    if (rejected.length === 0) throw withNextStep(nameFlags(error), body)
    return { rejected }
  }
}

/** Says where a path or a method that the server does not know can be looked up. */
function withNextStep(error: unknown, body: Body): unknown {
  if ((error instanceof ApiError || error instanceof UnexpectedAnswerError) && error.status === 404)
    addHint(
      error,
      'This server may create payments at another path: `paysim doctor` looks, and a contract file (--contract) says which one it is.',
    )
  if (!(error instanceof ApiError)) return error
  const isUnknown = error.details.some(({ field }) => field === 'payment_method')
  if (isUnknown && valueAt(body, 'payment_method') !== undefined)
    addHint(error, `\`${shellWords(['paysim', 'methods', 'list', ...termsOf(body)])}\` lists the methods.`)
  return error
}

const TERMS = ['amount', 'currency', 'country', 'checkout_mode'] as const

/** The terms on which methods depend, as options. */
const termsOf = (body: Body) =>
  TERMS.flatMap(term => {
    const value = valueAt(body, term)
    return typeof value === 'string' ? [REQUEST_FIELDS[term], value] : []
  })

/** The reference is required, unless the contract of this server says otherwise. */
const isReferenceOptional = async ({ where }: Session): Promise<boolean> =>
  (await where.contract())?.['create.merchant_reference'] === 'optional'

/** What one run of `payments create` needs. */
interface Creation {
  readonly flags: MerchantFlags & KeyFlags
  readonly session: Session
  readonly typed: TypedFlags
}

/** Options as typed, each with its value if it has one. */
type TypedFlags = readonly (readonly [flag: string, value?: string])[]

/** Options whose values are in the body. */
const ABOUT_THE_BODY = new Set([
  ...Object.values(REQUEST_FIELDS).map(flag => flag.split(' ')[0] ?? flag),
  ...['--data', '--set'],
])

/** The command that makes the same request without questions. */
function equivalentCommand(name: string, typed: TypedFlags, body: Body): string {
  const others = typed.filter(([flag]) => !ABOUT_THE_BODY.has(flag))
  const rest = withoutFlagged(body)
  return shellWords([
    ...['paysim', ...name.split(' ')],
    ...FIELD_NAMES.flatMap(field => flagFor(field, textAt(body, field))),
    ...(Object.keys(rest).length === 0 ? [] : ['--data', JSON.stringify(rest)]),
    ...others.flatMap(([flag, value]) => (value === undefined ? [flag] : [flag, value])),
  ])
}

function flagFor(field: (typeof FIELD_NAMES)[number], value: string | undefined): string[] {
  if (value === undefined) return []
  const [flag = ''] = REQUEST_FIELDS[field].split(' ')
  return flag === '--option' ? [flag, `${field.split('.')[1]}=${value}`] : joined(flag, value)
}

/** A value that begins with a dash must be joined to its option, or it would be taken for an option. */
const joined = (flag: string, value: string) => (value.startsWith('-') ? [`${flag}=${value}`] : [flag, value])

/** What no option can give: unknown fields, and values that are not text. */
function withoutFlagged(body: Body, before = ''): Body {
  const kept = Object.entries(body).flatMap(([name, value]) => {
    const path = `${before}${name}`
    if (isRecord(value)) {
      const inner = withoutFlagged(value, `${path}.`)
      return Object.keys(inner).length === 0 ? [] : [[name, inner] as const]
    }
    const flagged = isRequestField(path) && typeof value === 'string' && value !== ''
    return flagged ? [] : [[name, value] as const]
  })
  return Object.fromEntries(kept)
}
