import { textAt } from '../../fields/body-paths.ts'
import { moneyOf } from '../../fields/money-of.ts'
import type { Body } from '../../fields/request-fields.ts'
import { drawRecord } from '../../output/record.ts'
import { openScreen } from '../../output/screen.ts'

/** What is about to be created, on stderr. */
export async function showRequest(body: Body, flags: { color?: boolean }): Promise<void> {
  const screen = await openScreen(process.stderr, flags)
  const options = ['bank', 'account_name', 'account_number', 'name_th'].map(name => ({
    label: OPTION_LABELS[name] ?? name,
    value: textAt(body, `payment_method_options.${name}`),
  }))
  const record = drawRecord(
    [
      { label: 'Amount', value: moneyOf(body), note: `${textAt(body, 'amount')} in minor units` },
      { label: 'Country', value: textAt(body, 'country') },
      { label: 'Checkout', value: textAt(body, 'checkout_mode') ?? 'hosted' },
      { label: 'Method', value: textAt(body, 'payment_method') ?? 'the payer chooses' },
      ...options,
      { label: 'Payer', value: textAt(body, 'customer.name') },
      { label: 'Phone', value: textAt(body, 'customer.phone') },
      { label: 'E-mail', value: textAt(body, 'customer.email') },
      { label: 'Reference', value: textAt(body, 'merchant_reference') },
      { label: 'Return URL', value: textAt(body, 'return_url'), whole: true },
    ],
    screen,
  )
  process.stderr.write(`\nThis payment will be created:\n${record}\n\n`)
}

const OPTION_LABELS: Readonly<Record<string, string>> = {
  bank: 'Bank',
  account_name: 'Account name',
  account_number: 'Account number',
  name_th: 'Name in Thai',
}
