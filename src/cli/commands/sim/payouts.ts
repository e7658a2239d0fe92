import { type Command, Option } from 'commander'
import type { PayoutRecord } from '../../../client/control-client.ts'
import type { NewPayout } from '../../../contract/control/requests.ts'
import { PAYOUT_STATUSES, type PayoutTrigger } from '../../../contract/statuses.ts'
import { createAll } from '../../call/create-all.ts'
import { nounOf, row, showAnswer } from '../../control/row.ts'
import { type ControlFlags, controlCommand, withControl } from '../../control/session.ts'
import { FilesError, UsageError } from '../../errors/cli-errors.ts'
import type { Amount } from '../../fields/amount.ts'
import { type Body, merge, valueAt, withValue } from '../../fields/body.ts'
import { readData, refuseOtherCurrency, termsOf } from '../../fields/build-request.ts'
import { type Line, listIn, readList } from '../../fields/list-file.ts'
import { amountOption, countryCode, currencyCode, dataOption } from '../../fields/request-fields.ts'
import { choice } from '../../flag-values.ts'
import {
  idColumn,
  listView,
  memberColumn,
  moneyColumn,
  statusColumn,
  timeColumn,
} from '../../output/columns.ts'
import { drawRecord, fieldOf, sections } from '../../output/record.ts'
import type { View } from '../../output/view.ts'
import { bankAccount, payoutView } from '../../output/views/payouts.ts'
import { FAILURE, ofStatus } from './tables.ts'

const ID = { '<id>': { about: 'id of the payout, such as po_123', to: 'params.id' } } as const

/** The merchant's view of a payout and the members that merchants do not see. */
const fullPayoutView: View<PayoutRecord> = {
  ...payoutView,
  async human({ rule, moves, ...payout }, screen) {
    const fields = [fieldOf('rule', rule ?? 'none')]
    return sections(
      await payoutView.human(payout, screen),
      `${screen.paint.bold('hidden from the merchant')}\n${drawRecord(fields, screen)}`,
    )
  },
}

const LISTED = {
  empty: 'No payouts.',
  columns: [
    idColumn(),
    statusColumn('status', 'status'),
    moneyColumn(),
    memberColumn('recipient', 'recipient.holder_name', { give: 2 }),
    { header: 'account', value: bankAccount, give: 3, whole: true },
    memberColumn('reference', 'merchant_reference', { give: 1 }),
    memberColumn('rule', 'rule', { give: 6 }),
    timeColumn('created', 'created_at', { give: 4 }),
  ],
  csv: [
    ...['id', 'status', 'amount', 'currency', 'country', 'merchant_reference'],
    ...['recipient.holder_name', 'recipient.bank_code', 'recipient.account_last4'],
    ...['failure_code', 'failure_message', 'cancel_reason', 'rule', 'created_at', 'updated_at'],
  ],
}

export const payouts = nounOf('sim payouts', {
  list: row('GET /accounts/:account/payouts', {
    summary: 'list payouts',
    description: 'List the payouts of an account, newest first, including what the merchant API hides.',
    flags: ofStatus(PAYOUT_STATUSES),
    examples: [
      'paysim sim payouts',
      'paysim sim payouts list --status requires_approval',
      'paysim sim payouts list --all -o csv > payouts.csv',
    ],
    show: {
      pages: true,
      table: LISTED,
    },
  }),
  show: row('GET /accounts/:account/payouts/:id', {
    summary: 'show a payout and its rule',
    description: 'Show a payout, including its rule.',
    arguments: ID,
    examples: ['paysim sim payouts show po_123'],
    show: { view: fullPayoutView, inAccountTime: true, explained: true },
  }),
  create: { summary: 'create a payout, or one for each line of a list', command: createCommand },
  approve: trigger('approve', {
    summary: 'approve a payout',
    description: 'Approve a payout: processing starts at once.',
  }),
  succeed: trigger('succeed', {
    summary: 'make a payout succeed',
    description: 'Make a payout succeed: the money arrives.',
  }),
  fail: trigger('fail', {
    summary: 'make a payout fail',
    description: 'Make a payout fail.',
    flags: FAILURE,
    examples: ['paysim sim payouts fail po_123 --code account_closed'],
  }),
  cancel: trigger('cancel', {
    summary: 'cancel a payout',
    description: 'Cancel a payout that requires approval.',
  }),
})

interface Trigger {
  readonly summary: string
  readonly description: string
  readonly flags?: typeof FAILURE
  readonly examples?: readonly string[]
}

function trigger(name: PayoutTrigger, its: Trigger) {
  return row(`POST /accounts/:account/payouts/:id/${name}`, {
    arguments: ID,
    examples: [`paysim sim payouts ${name} po_123`],
    show: { view: fullPayoutView, inAccountTime: true },
    ...its,
  })
}

/** Where the value of each option goes. */
const FIELDS = {
  amount: 'amount',
  currency: 'currency',
  country: 'country',
  merchantReference: 'merchant_reference',
  bank: 'recipient.bank_code',
  holder: 'recipient.holder_name',
  accountNumber: 'recipient.account_number',
  status: 'status',
  createdAt: 'created_at',
} as const

/** What a payout cannot do without, and the option for it. */
const REQUIRED = {
  amount: '--amount',
  currency: '--currency',
  country: '--country',
  merchant_reference: '--merchant-reference',
  'recipient.bank_code': '--bank',
  'recipient.holder_name': '--holder',
  'recipient.account_number': '--account-number',
} as const

interface CreateFlags extends ControlFlags {
  readonly amount?: Amount
  readonly currency?: string
  readonly country?: string
  readonly data?: readonly string[]
  readonly idempotencyKey?: string
}

function createCommand(): Command {
  return controlCommand('sim payouts create', command =>
    command
      .description('Create a payout. The merchant API has no such call.')
      .addOption(amountOption())
      .option('--currency <code>', 'such as THB; not needed if the amount has one', currencyCode)
      .option('--country <code>', 'such as TH', countryCode)
      .option('--merchant-reference <text>', "the merchant's reference for it")
      .option('--bank <code>', "the recipient's bank, such as bbl")
      .option('--holder <name>', "the recipient's name")
      .option('--account-number <digits>', "the recipient's account, of which the last four digits are kept")
      .addOption(
        new Option('--status <status>', 'initial status, requires_approval by default')
          .choices(PAYOUT_STATUSES)
          .argParser(choice(PAYOUT_STATUSES)),
      )
      .option('--created-at <time>', 'time of creation, which may be in the past (default: now)')
      .addOption(dataOption())
      .option('--idempotency-key <key>', 'the simulator acts only once per key')
      .addHelpText('after', MORE)
      .action((flags: CreateFlags) => create(flags)),
  )
}

const MORE = `
--data takes JSON and YAML, and other options override it. A file named .csv or .jsonl is a list: other options apply to all its payouts. The columns of
CSV are amount, currency, country, merchant_reference, recipient.bank_code, recipient.holder_name,
recipient.account_number, status and created_at. The idempotency key of a line follows from the name of the file, or from
--idempotency-key, and from what the line says. So you can run the command again within 24 hours, after a failure or with
corrected lines: it makes nothing twice. Lines that the simulator refuses are reported at the end.

Examples:
  paysim sim payouts create --amount '50.00 THB' --country TH --merchant-reference refund-1 \\
    --bank bbl --holder 'Somchai Jaidee' --account-number 1234567890
  paysim sim payouts create --data payout.yaml --merchant-reference refund-2 --status processing
  paysim sim payouts create --data payouts.csv --currency THB --country TH`

async function create(flags: CreateFlags): Promise<void> {
  const { list: source, others } = listIn(flags.data)
  const list = source === undefined ? undefined : await readList(source, Object.values(FIELDS))
  const data = await readData(others)
  const { body: terms, notes } = termsOf(flags)
  for (const note of [...notes, ...(list?.notes ?? [])]) process.stderr.write(`${note}\n`)
  const whole = (line: Body) => {
    const under = merge(line, data)
    refuseOtherCurrency(flags, under)
    const over = Object.entries(FIELDS).reduce<Body>((body, [flag, path]) => {
      const value = flag === 'amount' ? undefined : Reflect.get(flags, flag)
      return value === undefined ? body : withValue(body, path, value)
    }, terms)
    return merge(under, over)
  }
  const asked = (list?.lines ?? [{ place: '', body: {} }]).map(({ place, body }) => ({
    place,
    body: whole(body),
  }))
  const lacking = ({ body }: Line) =>
    Object.entries(REQUIRED).flatMap(([path, flag]) => (valueAt(body, path) === undefined ? [flag] : []))
  if (list) {
    const incomplete = asked.filter(line => lacking(line).length > 0)
    if (incomplete.length > 0)
      throw new FilesError(
        incomplete.map(line => `${line.place}: give ${lacking(line).join(', ')} or its column`).join('\n'),
      )
  }
  await withControl(flags, async session => {
    const { account, printer } = session
    const send = ({ body }: Line, idempotencyKey: string | undefined) =>
      account.payouts.create(body as unknown as NewPayout, { idempotencyKey })
    if (list)
      return createAll<PayoutRecord>({
        list: { ...list, lines: asked },
        keyedBy: flags.idempotencyKey,
        printer,
        view: listView<PayoutRecord>(LISTED.empty, LISTED.columns, LISTED.csv),
        send: (line, key) => send(line, key).answer(),
      })
    const [line] = asked
    if (!line) return
    const missing = lacking(line)
    if (missing.length > 0)
      throw new UsageError(`the payout is incomplete: give ${missing.join(', ')}, or add them to --data`)
    await showAnswer(
      send(line, flags.idempotencyKey),
      { view: fullPayoutView, inAccountTime: true },
      { given: { ...flags }, session },
    )
  })
}
