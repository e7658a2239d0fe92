import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { UsageError } from '../../../errors/cli-errors.ts'
import { merchantView } from '../views/merchants.ts'
import { checkoutModes, type ModeFlags, modeFlags } from './mode-flags.ts'

interface Flags extends ControlFlags, ModeFlags {
  readonly name?: string
}

export const command = (): Command =>
  controlCommand(
    'sim merchants change',
    declare =>
      modeFlags(
        declare
          .description("Changes a merchant's name or Team policy. It holds from the next request on.")
          .argument('<id>', 'of the merchant')
          .option('--name <name>', 'what payers read'),
      )
        .addHelpText(
          'after',
          `
Examples:
  paysim sim merchants change shop --checkout-mode hosted
  paysim sim merchants change shop --checkout-mode hosted --checkout-mode merchant --name "The shop"`,
        )
        .action((id: string, flags: Flags) =>
          withControl(flags, ({ control, show }) =>
            show(control.merchants.change(id, changeOf(flags)), merchantView(false)),
          ),
        ),
    { account: false },
  )

function changeOf(flags: Flags) {
  const { name } = flags
  const modes = checkoutModes(flags)
  if (name === undefined && !modes)
    throw new UsageError('what is to change? Give --name, --checkout-mode, or both')
  return { ...(name === undefined ? {} : { name }), ...(modes ? { checkout_modes: modes } : {}) }
}
