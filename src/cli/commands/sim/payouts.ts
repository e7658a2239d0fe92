import { type Command, Option } from 'commander'
import type { ClockState, NewPayout, PayoutRecord, PayoutTrigger } from '../../../client/control-client.ts'
import {
  type ControlFlags,
  controlCommand,
  examples,
  type FailureFlags,
  failureFlags,
  failureOf,
} from '../../control/flags.ts'
import { type PageFlags, pageFlags, showPages } from '../../control/pages.ts'
import { withControl } from '../../control/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { again, countryCode, currencyCode } from '../../fields/field-flags.ts'
import { readData } from '../../fields/read-data.ts'
import { choice } from '../../flag-values.ts'
import { drawRecord, fieldOf, sections } from '../../output/record.ts'
import type { View } from '../../output/view.ts'
import { bankAccount, payoutView } from '../../output/views/payouts.ts'
import { inAccountTime, showInAccountTime } from './account-time.ts'
import { idColumn, listView, memberColumn, moneyColumn, statusColumn, timeColumn } from './tables.ts'

const STATUSES = ['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled'] as const

interface ListFlags extends ControlFlags, PageFlags {}

interface CreateFlags extends ControlFlags {
  readonly amount?: string
  readonly currency?: string
  readonly country?: string
  readonly merchantReference?: string
  readonly bank?: string
  readonly holder?: string
  readonly accountNumber?: string
  readonly status?: PayoutRecord['status']
  readonly createdAt?: string
  readonly data?: readonly string[]
}

const triggers: Readonly<Record<PayoutTrigger, () => Command>> = {
  approve: trigger('approve', 'Approve a payout: processing starts at once.'),
  succeed: trigger('succeed', 'Make a payout succeed: the money arrives.'),
  fail: trigger('fail', 'Make a payout fail.'),
  cancel: trigger('cancel', 'Cancel a payout that requires approval.'),
}

export const commands = {
  list: () =>
    controlCommand(
      'sim payouts list',
      command =>
        pageFlags(
          command.description(
            'List the payouts of an account, newest first, including what the merchant API hides.',
          ),
        )
          .addHelpText(
            'after',
            examples('paysim sim payouts', 'paysim sim payouts list --all -o csv > payouts.csv'),
          )
          .action((flags: ListFlags) =>
            withControl(flags, session =>
              showPages(session, flags, {
                list: page => session.account.payouts.list(page),
                view: payoutsView,
              }),
            ),
          ),
      { list: true },
    ),

  show: () =>
    controlCommand('sim payouts show', command =>
      command
        .description('Show a payout, including its rule.')
        .argument('<id>', 'id of the payout, such as po_123')
        .addHelpText('after', examples('paysim sim payouts show po_123'))
        .action((id: string, flags: ControlFlags) =>
          withControl(flags, session =>
            showInAccountTime(session, session.account.payouts.get(id), fullPayoutView),
          ),
        ),
    ),

  create: () =>
    controlCommand('sim payouts create', command =>
      command
        .description('Create a payout. The merchant API has no such call.')
        .option('--amount <digits>', 'in minor units, such as 123450 for 1,234.50 THB')
        .option('--currency <code>', 'such as THB', currencyCode)
        .option('--country <code>', 'such as TH', countryCode)
        .option('--merchant-reference <text>', "the merchant's reference for it")
        .option('--bank <code>', "the recipient's bank, such as bbl")
        .option('--holder <name>', "the recipient's name")
        .option(
          '--account-number <digits>',
          "the recipient's account, of which the last four digits are kept",
        )
        .addOption(
          new Option('--status <status>', 'initial status, requires_approval by default')
            .choices(STATUSES)
            .argParser(choice(STATUSES)),
        )
        .option('--created-at <time>', 'time of creation, which may be in the past (default: now)')
        .option(
          '--data <json>',
          'the payout as JSON, @file or file (JSON or YAML), or - for stdin; options override it',
          again,
        )
        .addHelpText(
          'after',
          examples(
            'paysim sim payouts create --amount 5000 --currency THB --country TH --merchant-reference refund-1 \\',
            '  --bank bbl --holder "Somchai Jaidee" --account-number 1234567890',
            'paysim sim payouts create --data payout.yaml --merchant-reference refund-2 --status processing',
          ),
        )
        .action((flags: CreateFlags) =>
          withControl(flags, async session =>
            showInAccountTime(
              session,
              session.account.payouts.create(await newPayout(flags)),
              fullPayoutView,
            ),
          ),
        ),
    ),

  ...triggers,
}

function trigger(name: PayoutTrigger, description: string): () => Command {
  const call = `paysim sim payouts ${name} po_123`
  return () =>
    controlCommand(`sim payouts ${name}`, command =>
      failureFlags(
        command.description(description).argument('<id>', 'id of the payout, such as po_123'),
        name === 'fail' ? 'code and message' : undefined,
      )
        .addHelpText('after', examples(name === 'fail' ? `${call} --code account_closed` : call))
        .action((id: string, flags: ControlFlags & FailureFlags) =>
          withControl(flags, session =>
            showInAccountTime(
              session,
              session.account.payouts.trigger(id, name, failureOf(flags)),
              fullPayoutView,
            ),
          ),
        ),
    )
}

async function newPayout(flags: CreateFlags): Promise<NewPayout> {
  const { recipient, ...more }: Partial<NewPayout> = await readData(flags.data ?? [])
  const payout = {
    ...more,
    ...given({
      amount: flags.amount,
      currency: flags.currency,
      country: flags.country,
      merchant_reference: flags.merchantReference,
      status: flags.status,
      created_at: flags.createdAt,
    }),
    recipient: {
      ...recipient,
      ...given({ bank_code: flags.bank, holder_name: flags.holder, account_number: flags.accountNumber }),
    },
  }
  refuseMissing(payout)
  return payout as NewPayout
}

const given = (members: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

type Members = Readonly<Record<string, unknown>>

/** Names all missing members at once, by their flags. */
function refuseMissing(payout: Members & { readonly recipient: Members }): void {
  const { amount, currency, country, merchant_reference: reference, recipient } = payout
  const missing = Object.entries({
    '--amount': amount,
    '--currency': currency,
    '--country': country,
    '--merchant-reference': reference,
    '--bank': recipient.bank_code,
    '--holder': recipient.holder_name,
    '--account-number': recipient.account_number,
  }).flatMap(([flag, value]) => (value === undefined ? [flag] : []))
  if (missing.length > 0)
    throw new UsageError(`the payout is incomplete: give ${missing.join(', ')}, or add them to --data`)
}

const payoutsView = listView<PayoutRecord>(
  'No payouts.',
  [
    idColumn(),
    statusColumn('status', 'status'),
    moneyColumn(),
    memberColumn('recipient', 'recipient.holder_name', { give: 2 }),
    { header: 'account', value: bankAccount, give: 3, whole: true },
    memberColumn('reference', 'merchant_reference', { give: 1 }),
    memberColumn('rule', 'rule', { give: 6 }),
    timeColumn('created', 'created_at', { give: 4 }),
  ],
  [
    ...['id', 'status', 'amount', 'currency', 'country', 'merchant_reference'],
    ...['recipient.holder_name', 'recipient.bank_code', 'recipient.account_last4'],
    ...['failure_code', 'failure_message', 'cancel_reason', 'rule', 'created_at', 'updated_at'],
  ],
)

/** The merchant's view of a payout and the members that merchants do not see. */
const fullPayoutView = (clock: ClockState | undefined): View<PayoutRecord> => ({
  ...payoutView,
  async human({ rule, moves, ...payout }, wallScreen) {
    const screen = clock ? inAccountTime(clock, wallScreen) : wallScreen
    const fields = [
      fieldOf('rule', rule ?? 'none'),
      fieldOf('moves', moves?.map(({ trigger }) => trigger).join(', ') || undefined),
    ]
    return sections(
      await payoutView.human(payout, screen),
      `${screen.paint.bold('hidden from the merchant')}\n${drawRecord(fields, screen)}`,
    )
  },
})
