import type { Command } from 'commander'
import { differences, refuseOtherAnswer } from '../call/other-answer.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../call/session.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { textAt } from '../fields/body.ts'
import { listed, termsOf } from '../fields/build-request.ts'
import { type TermFlags, termFlags } from '../fields/request-fields.ts'
import { paymentMethodsView } from '../output/views/payment-methods.ts'

interface ListFlags extends MerchantFlags, TermFlags {
  readonly provider?: string
}

export const command = (): Command =>
  merchantCommand(
    'methods list',
    declare =>
      termFlags(
        declare.description(
          'List the payment methods for an amount, with their banks and the details that the payer must give.',
        ),
      )
        .option('--provider <id>', 'only methods of this provider')
        .addHelpText(
          'after',
          `
An amount of digits only is in minor units. An amount with a currency is converted, and the result is printed to stderr.

Examples:
  paysim methods list --amount 123450 --currency THB --country TH
  paysim methods list --amount '1,234.50 THB' --country TH --checkout-mode merchant
  paysim methods list --amount 10000 --currency THB --country TH --query 'methods[].code'
  paysim methods list --amount 50000 --currency VND --country VN -o csv`,
        )
        .action((flags: ListFlags) => withSession(flags, session => list(session, flags))),
    { list: true },
  )

async function list({ client, signal, show }: Session, flags: ListFlags): Promise<void> {
  const { body, notes } = termsOf(flags)
  const amount = textAt(body, 'amount')
  const currency = textAt(body, 'currency')
  const country = textAt(body, 'country')
  if (amount === undefined || currency === undefined || country === undefined)
    throw new UsageError(`${missing(flags, currency)} missing: methods depend on the amount and the country`)
  for (const note of notes) process.stderr.write(`${note}\n`)
  const query = { amount, currency, country, checkout_mode: flags.checkoutMode, provider: flags.provider }
  const answer = await client.methods.list(query, { signal }).answer()
  refuseOtherAnswer(differences(query, answer.body, flags), answer, 'GET /payment_methods/options')
  await show(answer, paymentMethodsView)
}

function missing(flags: ListFlags, currency: string | undefined): string {
  const flagsMissing = [
    ...(flags.amount === undefined ? ['--amount'] : []),
    ...(currency === undefined ? ['--currency'] : []),
    ...(flags.country === undefined ? ['--country'] : []),
  ]
  return `${listed(flagsMissing)} ${flagsMissing.length === 1 ? 'is' : 'are'}`
}
