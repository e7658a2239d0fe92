import { type Command, InvalidArgumentError } from 'commander'
import { type MerchantFlags, merchantCommand, withSession } from '../../call/session.ts'
import { payoutView } from '../../output/views/payouts.ts'
import { confirmLive } from '../../prompts/confirm.ts'

interface CancelFlags extends MerchantFlags {
  readonly reason?: string
}

export const command = (): Command =>
  merchantCommand(
    'payouts cancel',
    declare =>
      declare
        .description('Cancel a payout that still needs approval.')
        .argument('<id>', 'id of the payout, such as po_123')
        .option('--reason <text>', 'reason to store with the payout and to send with its webhook', reason)
        .addHelpText(
          'after',
          `
Examples:
  paysim payouts cancel po_123
  paysim payouts cancel po_123 --reason 'Paid twice by mistake'
  paysim payouts cancel po_123 --yes -o json`,
        )
        .action((id: string, flags: CancelFlags) =>
          withSession(flags, async session => {
            await confirmLive(flags, session, `cancel the payout ${id}`)
            const { client, signal, show } = session
            await show(await client.payouts.cancel(id, { reason: flags.reason, signal }).answer(), payoutView)
          }),
        ),
    { changes: true },
  )

const LONGEST_REASON = 512

function reason(text: string): string {
  const length = [...text].length
  if (length < 1 || length > LONGEST_REASON)
    throw new InvalidArgumentError(`It must have 1 to ${LONGEST_REASON} characters, not ${length}.`)
  return text
}
