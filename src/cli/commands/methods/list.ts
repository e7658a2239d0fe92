import type { Command } from 'commander'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { type Session, withSession } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { textAt } from '../../fields/body.ts'
import { termsOf } from '../../fields/build-request.ts'
import { type TermFlags, termFlags } from '../../fields/field-flags.ts'
import { listed } from '../../fields/field-problems.ts'
import { paymentMethodsView } from '../../output/views/payment-methods.ts'

interface ListFlags extends MerchantFlags, TermFlags {
  readonly provider?: string
}

export const command = (): Command =>
  merchantCommand(
    'methods list',
    declare =>
      termFlags(
        declare.description(
          'Lists the payment methods that can be offered for an amount, with their banks and what the payer must give.',
        ),
      )
        .option('--provider <id>', 'this one and no other')
        .addHelpText(
          'after',
          `
Digits alone are minor units; an amount with its currency is converted, and said so on stderr.

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
    throw new UsageError(`methods are listed for an amount and a place: ${missing(flags, currency)} missing`)
  for (const note of notes) process.stderr.write(`${note}\n`)
  const query = { amount, currency, country, checkout_mode: flags.checkoutMode, provider: flags.provider }
  await show(await client.methods.list(query, { signal }).answer(), paymentMethodsView)
}

function missing(flags: ListFlags, currency: string | undefined): string {
  const flagsMissing = [
    ...(flags.amount === undefined ? ['--amount'] : []),
    ...(currency === undefined ? ['--currency'] : []),
    ...(flags.country === undefined ? ['--country'] : []),
  ]
  return `${listed(flagsMissing)} ${flagsMissing.length === 1 ? 'is' : 'are'}`
}
