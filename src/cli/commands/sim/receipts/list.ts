import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { receiptsView } from '../views/receipts.ts'

export const command = (): Command =>
  controlCommand(
    'sim receipts list',
    declare =>
      declare
        .description('Lists the payments that want a receipt or have one, with how that stands.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim receipts
  paysim sim receipts list -o jsonl | jq 'select(.receipt.status == "processing").id'`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, async ({ account, printer }) => {
            const data = (await account.payments.list()).filter(({ receipt }) => receipt)
            await printer.show({ body: { data } }, receiptsView)
          }),
        ),
    { list: true, headers: false },
  )
