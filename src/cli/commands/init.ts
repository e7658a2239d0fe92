import type { Command } from 'commander'
import { newCommand } from '../new-command.ts'
import { type OutputFlags, outputFlags } from '../output/flags.ts'
import { canAsk } from '../prompts/confirm.ts'

interface InitFlags extends OutputFlags {
  readonly name?: string
  readonly baseUrl?: string
  readonly account?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly replace?: true
  readonly input: boolean
}

export const command = (): Command =>
  outputFlags(
    newCommand('init')
      .description(
        'Sets paysim up: where the API is, with which keys. It ends with a call that worked, and keeps them.',
      )
      .option('--name <name>', 'for the profile, as shop-test')
      .option('--base-url <url>', 'where the API is; else PAYSIM_BASE_URL')
      .option('--key-file <file>', 'the keys, as PUBLIC:SECRET; - reads them from stdin')
      .option('--account <id>', 'in place of the two: of the simulator that runs here, as default.test')
      .option('--contract <file>', 'how this server decided what the interface leaves open')
      .option('--ca-file <file>', 'trust these authorities, as PEM')
      .option('--replace', 'put it in the place of the profile that has this name')
      .option('--no-input', 'never ask: what is missing is a fault'),
  )
    .addHelpText(
      'after',
      `
On a terminal it asks for what is not given. Without one, the flags must say it all; keys may also be in
PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY.

Examples:
  paysim init
  paysim init --name local --account default.test
  paysim init --name shop-test --base-url https://api.example/v1 --key-file keys.txt`,
    )
    .action(async (flags: InitFlags) => {
      const { begin } = await import('../profiles/init.ts')
      await begin(flags, { mayAsk: canAsk(flags) })
    })
