import type { PaymentRecord, PaymentTrigger } from '../../../client/control-client.ts'
import { FINAL_STATUSES, PAYMENT_STATUSES } from '../../../contract/statuses.ts'
import { nounOf, ownCommand, row, showAnswer } from '../../control/row.ts'
import type { ControlFlags } from '../../control/session.ts'
import {
  idColumn,
  memberColumn,
  moneyColumn,
  rowView,
  statusColumn,
  timeColumn,
} from '../../output/columns.ts'
import { drawRecord, type Field, fieldOf, sections, timeField } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import type { View } from '../../output/view.ts'
import { paymentView } from '../../output/views/payment.ts'
import { readImage } from '../../receipt-image.ts'
import { FAILURE, FAILURE_MESSAGE, inlineYamlMembers, ofStatus } from './tables.ts'

const ID = { '<id>': { about: 'id of the payment, such as pi_123', to: 'params.id' } } as const

/** The merchant's view of a payment and the members that merchants do not see. */
const fullPaymentView: View<PaymentRecord> = {
  ...paymentView,
  async human(payment, screen) {
    return sections(
      await paymentView.human(withoutHidden(payment), screen),
      `${screen.paint.bold('hidden from the merchant')}\n${drawRecord(hiddenFields(payment, screen), screen)}`,
    )
  },
}

export const payments = nounOf('sim payments', {
  list: row('GET /accounts/:account/payments', {
    summary: 'list payments',
    description: 'List the payments of an account, newest first, including what the merchant API hides.',
    flags: ofStatus(PAYMENT_STATUSES),
    examples: [
      'paysim sim payments',
      'paysim sim payments list --status pending,processing',
      'paysim sim payments list --all -o csv > payments.csv',
    ],
    show: {
      pages: true,
      table: {
        empty: 'No payments.',
        columns: [
          idColumn(),
          statusColumn('status', 'status'),
          moneyColumn(),
          memberColumn('method', 'payment_method', { give: 2 }),
          statusColumn('receipt', 'receipt.status', { give: 3, whole: true }),
          memberColumn('reference', 'merchant_reference', { give: 1 }),
          memberColumn('rule', 'rule', { give: 6 }),
          memberColumn('provider', 'route.provider', { give: 5 }),
          timeColumn('created', 'created_at', { give: 4 }),
        ],
        csv: [
          ...[
            'id',
            'status',
            'amount',
            'currency',
            'country',
            'checkout_mode',
            'payment_method',
            'merchant_reference',
          ],
          ...['receipt.status', 'failure_code', 'failure_message', 'route.provider', 'route.id', 'rule'],
          ...['customer.name', 'customer.phone', 'customer.email', 'created_at', 'updated_at', 'expires_at'],
        ],
      },
    },
  }),
  show: row('GET /accounts/:account/payments/:id', {
    summary: 'show a payment, its route and its rule',
    description: 'Show a payment, including what the merchant API hides: customer, route, rule, instrument.',
    arguments: ID,
    examples: ['paysim sim payments show pi_123', 'paysim sim payments show pi_123 --query route.provider'],
    show: { view: fullPaymentView, inAccountTime: true, explained: true },
  }),
  choose: row('POST /accounts/:account/payments/:id/choose', {
    summary: 'choose a method, as the payer',
    description: 'Choose a method as the payer does on the hosted page. Only then can the payment succeed.',
    arguments: {
      ...ID,
      '<method>': { about: 'code of the method, such as th_promptpay', to: 'body.method' },
    },
    flags: {
      '--bank <code>': { about: "the payer's bank, such as bbl", to: 'body.bank' },
      '--account-name <name>': { about: "name on the payer's account", to: 'body.account_name' },
      '--account-number <number>': { about: "number of the payer's account", to: 'body.account_number' },
      '--name-th <name>': { about: "the payer's name in Thai", to: 'body.name_th' },
      '--customer-name <name>': { about: "the payer's name", to: 'body.customer_name' },
      '--customer-phone <number>': { about: "the payer's phone number", to: 'body.customer_phone' },
    },
    refused: '`paysim methods list` lists the methods, with their banks and what they need of the payer.',
    examples: [
      'paysim sim payments choose pi_123 th_promptpay',
      'paysim sim payments choose pi_123 th_bank_transfer --bank bbl --customer-name "Ann Lee"',
    ],
    show: { view: fullPaymentView, inAccountTime: true },
  }),
  'send-receipt': {
    summary: 'send a receipt, as the payer',
    command: ownCommand('sim payments send-receipt', {
      description: 'Send a receipt as the payer does on the hosted page.',
      arguments: {
        '<id>': ID['<id>'].about,
        '<file>': 'JPEG or PNG of at most 5 MiB; - means stdin',
      },
      examples: ['paysim sim payments send-receipt pi_123 slip.jpg'],
      async run(session, { id, file, ...given }: ControlFlags & Readonly<Record<'id' | 'file', string>>) {
        const { bytes, filename } = await readImage(file)
        const sent = session.account.payments.sendReceipt(id, bytes, { filename })
        await showAnswer(
          sent,
          { view: fullPaymentView, inAccountTime: true },
          { given: { ...given }, session },
        )
      },
    }),
  },
  return: row('POST /accounts/:account/payments/:id/return', {
    summary: 'open the return_url, as the payer',
    description:
      "Open the return_url of a payment once, as the payer's browser does. A redirect is shown, not followed.",
    arguments: ID,
    examples: ['paysim sim payments return pi_123', 'paysim sim payments return pi_123 --query location'],
    show: {
      view: rowView([
        memberColumn('status', 'status'),
        memberColumn('leads to', 'location', { whole: true }),
      ]),
    },
  }),
  succeed: trigger('succeed', {
    summary: 'make a payment succeed',
    description: 'Make a payment succeed: the money arrives.',
  }),
  fail: trigger('fail', {
    summary: 'make a payment fail',
    description: 'Make a payment fail.',
    flags: FAILURE,
    example: '--code insufficient_funds --message "The account is empty"',
  }),
  expire: trigger('expire', {
    summary: 'make a payment expire',
    description: 'Make a payment expire: nobody paid in time.',
  }),
  'present-action': trigger('present-action', {
    summary: 'present the next action to the payer',
    description: 'Present the next action to the payer: a processing payment becomes pending.',
  }),
  'withdraw-action': trigger('withdraw-action', {
    summary: 'withdraw the next action from the payer',
    description: 'Withdraw the next action from the payer: a pending payment becomes processing.',
  }),
  'accept-receipt': trigger('accept-receipt', {
    summary: 'accept the receipt',
    description: 'Accept the receipt that is being checked.',
  }),
  'reject-receipt': trigger('reject-receipt', {
    summary: 'reject the receipt',
    description: 'Reject the receipt that is being checked.',
    flags: FAILURE_MESSAGE,
    example: '--message "Amount is not legible"',
  }),
  'confirm-cancel': trigger('confirm-cancel', {
    summary: 'confirm a requested cancellation',
    description: 'Confirm the cancellation that the merchant requested.',
    flags: FAILURE,
  }),
})

interface Trigger {
  readonly summary: string
  readonly description: string
  /** What the caller can say about the reason. */
  readonly flags?: Partial<typeof FAILURE>
  readonly example?: string
}

function trigger(name: PaymentTrigger, { example, flags = {}, ...texts }: Trigger) {
  const call = `paysim sim payments ${name} pi_123`
  return row(`POST /accounts/:account/payments/:id/${name}`, {
    ...texts,
    arguments: ID,
    flags,
    examples: example === undefined ? [call] : [call, `${call} ${example}`],
    show: { view: fullPaymentView, inAccountTime: true },
  })
}

function withoutHidden(payment: PaymentRecord) {
  const { customer, payment_method_options, route, rule, instrument, receipt_image, ...more } = payment
  const { cancel_requested_at, cancelled, expires_at, moves, ...visibleToMerchant } = more
  return visibleToMerchant
}

function hiddenFields(payment: PaymentRecord, screen: Screen): Field[] {
  const { customer, payment_method_options: options, route, receipt_image: image } = payment
  const isOpen = !FINAL_STATUSES.includes(payment.status)
  return [
    fieldOf('customer', inlineYamlMembers(customer ?? {}) || undefined),
    fieldOf('options', inlineYamlMembers(options ?? {}) || undefined),
    fieldOf('route', route && `${route.id}, ${route.local_code} at ${route.provider}`),
    // Only an open payment can still be acted on, or expire.
    fieldOf('takes receipt', isOpen && route ? (route.takes_receipt ? 'yes' : 'no') : undefined),
    fieldOf('can be cancelled', isOpen && route ? (route.cancel_pending ? 'yes' : 'no') : undefined),

    fieldOf('rule', payment.rule),
    fieldOf('image', image?.digest, {
      note: image ? submissions(image.submissions) : undefined,
      whole: true,
    }),
    fieldOf('asset', image?.asset_id),
    timeField('cancel requested', payment.cancel_requested_at, screen),
    fieldOf('cancelled', payment.cancelled ? 'yes' : undefined),
    timeField('expires', isOpen ? payment.expires_at : undefined, screen),
  ]
}

const submissions = (count: number) => (count === 1 ? 'submitted once' : `submitted ${count} times`)
