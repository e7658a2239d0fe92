import { type Command, Option } from 'commander'
import type { NewPayout, PayoutRecord } from '../../../../client/control-client.ts'
import { byItsClock } from '../../../control/by-its-clock.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { UsageError } from '../../../errors/cli-errors.ts'
import { again, countryCode, currencyCode } from '../../../fields/field-flags.ts'
import { readData } from '../../../fields/read-data.ts'
import { choice } from '../../../flag-values.ts'
import { fullPayoutView } from '../views/payout.ts'

const STATUSES = ['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled'] as const

interface Flags extends ControlFlags {
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

export const command = (): Command =>
  controlCommand('sim payouts create', declare =>
    declare
      .description('Makes a payout, which the merchant API cannot.')
      .option('--amount <digits>', 'in minor units, as 123450 for 1,234.50 THB')
      .option('--currency <code>', 'such as THB', currencyCode)
      .option('--country <code>', 'such as TH', countryCode)
      .option('--merchant-reference <text>', "the merchant's own name for it")
      .option('--bank <code>', "the recipient's bank, as bbl")
      .option('--holder <name>', "the recipient's name")
      .option('--account-number <digits>', 'of which the last four are kept')
      .addOption(
        new Option('--status <status>', 'to have one that is already there; requires_approval otherwise')
          .choices(STATUSES)
          .argParser(choice(STATUSES)),
      )
      .option('--created-at <time>', 'to place it in the past; now otherwise')
      .option(
        '--data <json>',
        'the same as JSON, @file or file (JSON or YAML), or - for stdin; flags win',
        again,
      )
      .addHelpText(
        'after',
        `
Examples:
  paysim sim payouts create --amount 5000 --currency THB --country TH --merchant-reference refund-1 \\
    --bank bbl --holder "Somchai Jaidee" --account-number 1234567890
  paysim sim payouts create --data payout.yaml --merchant-reference refund-2 --status processing`,
      )
      .action((flags: Flags) =>
        withControl(flags, async session =>
          byItsClock(session, session.account.payouts.create(await payoutOf(flags)), fullPayoutView),
        ),
      ),
  )

async function payoutOf(flags: Flags): Promise<NewPayout> {
  const { recipient: writtenRecipient, ...more }: Partial<NewPayout> = await readData(flags.data ?? [])
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
      ...writtenRecipient,
      ...given({ bank_code: flags.bank, holder_name: flags.holder, account_number: flags.accountNumber }),
    },
  }
  demandAll(payout)
  return payout as NewPayout
}

const given = (members: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

type Loose = Readonly<Record<string, unknown>>

/** All at once, by their flags: nobody likes to be told of one at a time. */
function demandAll(payout: Loose & { readonly recipient: Loose }): void {
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
  if (missing.length > 0) throw new UsageError(`a payout needs more: ${missing.join(', ')}`)
}
