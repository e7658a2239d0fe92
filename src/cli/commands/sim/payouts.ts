import type { PayoutRecord } from '../../../client/control-client.ts'
import { nounOf, row } from '../../control/row.ts'
import { type Body, valueAt } from '../../fields/body.ts'
import { readData } from '../../fields/build-request.ts'
import { again, countryCode, currencyCode } from '../../fields/request-fields.ts'
import { drawRecord, fieldOf, sections } from '../../output/record.ts'
import type { View } from '../../output/view.ts'
import { bankAccount, payoutView } from '../../output/views/payouts.ts'
import { FAILURE, idColumn, memberColumn, moneyColumn, statusColumn, timeColumn } from './tables.ts'

const ID = { '<id>': { about: 'id of the payout, such as po_123', to: 'params.id' } } as const

/** What a payout cannot do without. */
const REQUIRED = {
  '--amount <digits>': { about: 'in minor units, such as 123450 for 1,234.50 THB', to: 'body.amount' },
  '--currency <code>': { about: 'such as THB', to: 'body.currency', parse: currencyCode },
  '--country <code>': { about: 'such as TH', to: 'body.country', parse: countryCode },
  '--merchant-reference <text>': { about: "the merchant's reference for it", to: 'body.merchant_reference' },
  '--bank <code>': { about: "the recipient's bank, such as bbl", to: 'body.recipient.bank_code' },
  '--holder <name>': { about: "the recipient's name", to: 'body.recipient.holder_name' },
  '--account-number <digits>': {
    about: "the recipient's account, of which the last four digits are kept",
    to: 'body.recipient.account_number',
  },
} as const

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

export const payouts = nounOf('sim payouts', {
  list: row('GET /accounts/:account/payouts', {
    summary: 'list payouts',
    description: 'List the payouts of an account, newest first, including what the merchant API hides.',
    examples: ['paysim sim payouts', 'paysim sim payouts list --all -o csv > payouts.csv'],
    show: {
      pages: true,
      table: {
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
      },
    },
  }),
  show: row('GET /accounts/:account/payouts/:id', {
    summary: 'show a payout and its rule',
    description: 'Show a payout, including its rule.',
    arguments: ID,
    examples: ['paysim sim payouts show po_123'],
    show: { view: fullPayoutView, inAccountTime: true, explained: true },
  }),
  create: row('POST /accounts/:account/payouts', {
    summary: 'create a payout',
    description: 'Create a payout. The merchant API has no such call.',
    flags: {
      ...REQUIRED,
      '--status <status>': {
        about: 'initial status, requires_approval by default',
        to: 'body.status',
        choices: ['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled'],
      },
      '--created-at <time>': {
        about: 'time of creation, which may be in the past (default: now)',
        to: 'body.created_at',
      },
      '--data <json>': {
        about: 'the payout as JSON, @file or file (JSON or YAML), or - for stdin; options override it',
        to: 'body',
        parse: again,
        value: readData,
      },
    },
    examples: [
      'paysim sim payouts create --amount 5000 --currency THB --country TH --merchant-reference refund-1 \\',
      '  --bank bbl --holder "Somchai Jaidee" --account-number 1234567890',
      'paysim sim payouts create --data payout.yaml --merchant-reference refund-2 --status processing',
    ],
    mistake: input => {
      const missing = Object.entries(REQUIRED).flatMap(([flag, { to }]) =>
        valueAt(input as Body, to) === undefined ? [flag.replace(/ .*/, '')] : [],
      )
      return missing.length === 0
        ? undefined
        : `the payout is incomplete: give ${missing.join(', ')}, or add them to --data`
    },
    show: { view: fullPayoutView, inAccountTime: true },
  }),
  approve: row('POST /accounts/:account/payouts/:id/approve', {
    summary: 'approve a payout',
    description: 'Approve a payout: processing starts at once.',
    arguments: ID,
    examples: ['paysim sim payouts approve po_123'],
    show: { view: fullPayoutView, inAccountTime: true },
  }),
  succeed: row('POST /accounts/:account/payouts/:id/succeed', {
    summary: 'make a payout succeed',
    description: 'Make a payout succeed: the money arrives.',
    arguments: ID,
    examples: ['paysim sim payouts succeed po_123'],
    show: { view: fullPayoutView, inAccountTime: true },
  }),
  fail: row('POST /accounts/:account/payouts/:id/fail', {
    summary: 'make a payout fail',
    description: 'Make a payout fail.',
    arguments: ID,
    flags: FAILURE,
    examples: ['paysim sim payouts fail po_123 --code account_closed'],
    show: { view: fullPayoutView, inAccountTime: true },
  }),
  cancel: row('POST /accounts/:account/payouts/:id/cancel', {
    summary: 'cancel a payout',
    description: 'Cancel a payout that requires approval.',
    arguments: ID,
    examples: ['paysim sim payouts cancel po_123'],
    show: { view: fullPayoutView, inAccountTime: true },
  }),
})
