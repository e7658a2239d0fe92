import { type Command, Option } from 'commander'
import type { CheckoutMode } from '../../../../client/control-client.ts'
import { choice } from '../../../flag-values.ts'

/** The Team policy. */
export interface ModeFlags {
  readonly checkoutMode?: readonly string[]
}

const MODES = ['hosted', 'merchant', 'none'] as const

export function modeFlags(command: Command): Command {
  return command.addOption(
    new Option('--checkout-mode <mode>', 'what the Team policy allows (repeatable); none refuses both')
      .choices(MODES)
      .argParser((text, before: readonly string[] = []) => [...before, choice(MODES)(text)]),
  )
}

export function checkoutModes({ checkoutMode }: ModeFlags): CheckoutMode[] | undefined {
  return checkoutMode?.filter((mode): mode is CheckoutMode => mode === 'hosted' || mode === 'merchant')
}
