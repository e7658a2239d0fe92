import { type Command, Option } from 'commander'
import type { Catalogue, NewMerchant, ProviderRule } from '../../../../client/control-client.ts'
import { type ClockFlags, clockFlags, clockSetting } from '../../../control/clock-flags.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { readDocument, readList } from '../../../control/read-document.ts'
import { withControl } from '../../../control/session.ts'
import { UsageError } from '../../../errors/cli-errors.ts'
import { choice, collect } from '../../../flag-values.ts'
import { merchantView } from '../views/merchants.ts'
import { checkoutModes, type ModeFlags, modeFlags } from './mode-flags.ts'

interface Flags extends ControlFlags, ClockFlags, ModeFlags {
  readonly name?: string
  readonly clock?: 'real' | 'virtual'
  readonly seed?: string
  readonly rules?: string
  readonly catalogue?: string
  readonly webhook: readonly string[]
  readonly reveal?: true
}

const MODES = ['real', 'virtual'] as const

export const command = (): Command =>
  controlCommand(
    'sim merchants create',
    declare =>
      clockFlags(
        modeFlags(
          declare
            .description('Makes a merchant with a test and a live account: a world of its own.')
            .argument('[id]', 'lower-case letters, digits, - and _; made up when left out')
            .option('--name <name>', 'what payers read'),
        ).addOption(
          new Option('--clock <mode>', 'how its time passes; real otherwise')
            .choices(MODES)
            .argParser(choice(MODES)),
        ),
      )
        .option('--seed <text>', 'makes its ids, keys and instructions repeat exactly')
        .option('--rules <file>', 'provider rules, as YAML or JSON; - reads stdin')
        .option('--catalogue <file>', 'methods and routes of its own')
        .option('--webhook <url>', 'an endpoint in both environments (repeatable)', collect, [])
        .option('--reveal', 'show secret keys')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim merchants create
  paysim sim merchants create shop --clock virtual --now 2027-01-01T00:00:00Z --seed 7
  paysim sim merchants create shop --rules rules.yaml --webhook http://127.0.0.1:4000/hooks --reveal`,
        )
        .action((id: string | undefined, flags: Flags) =>
          withControl(flags, async ({ control, show }) =>
            show(control.merchants.create(await merchantOf(id, flags)), merchantView(flags.reveal ?? false)),
          ),
        ),
    { account: false },
  )

async function merchantOf(id: string | undefined, flags: Flags): Promise<NewMerchant> {
  const { name, clock, seed, rules, catalogue, webhook } = flags
  if (clock === undefined && (flags.now !== undefined || flags.rate !== undefined))
    throw new UsageError('--now and --rate say more of --clock: give that too')
  const modes = checkoutModes(flags)
  // What the files hold is for the server to judge: it says what is wrong with each place.
  return {
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(modes ? { checkout_modes: modes } : {}),
    ...(clock === undefined ? {} : { clock: clockSetting(clock, flags) }),
    ...(seed === undefined ? {} : { seed }),
    ...(rules === undefined ? {} : { rules: (await readList(rules, 'rules')) as ProviderRule[] }),
    ...(catalogue === undefined ? {} : { catalogue: (await readDocument(catalogue)) as Catalogue }),
    ...(webhook.length === 0 ? {} : { webhooks: webhook.map(url => ({ url })) }),
  }
}
