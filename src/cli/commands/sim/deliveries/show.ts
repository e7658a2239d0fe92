import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { NotFoundError } from '../../../errors/cli-errors.ts'
import { deliveryView } from '../views/delivery.ts'

export const command = (): Command =>
  controlCommand(
    'sim deliveries show',
    declare =>
      declare
        .description('Shows a delivery with every attempt: what was sent, and what was answered.')
        .argument('<id>', 'of the delivery, or of its event')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim deliveries show dl_123
  paysim sim deliveries show dl_123 --query "attempts[-1].request.body"`,
        )
        .action((id: string, flags: ControlFlags) =>
          withControl(flags, async ({ account, printer }) => {
            const all = await account.deliveries()
            const body = all.find(delivery => delivery.id === id) ?? all.findLast(({ event }) => event === id)
            if (!body) throw new NotFoundError(`${account.id} has no delivery ${id}`)
            await printer.show({ body }, deliveryView)
          }),
        ),
    { headers: false },
  )
