import { type Command, Option } from 'commander'
import type { AssetRecord } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { readImage } from '../../../control/read-image.ts'
import { withControl } from '../../../control/session.ts'
import { choice } from '../../../flag-values.ts'
import { assetView } from '../views/records.ts'

const KINDS = ['payment_receipt', 'other'] as const

interface Flags extends ControlFlags {
  readonly kind?: AssetRecord['kind']
}

export const command = (): Command =>
  controlCommand('sim assets upload', declare =>
    declare
      .description('Stores an image, whose id `payments submit-receipt --asset` takes.')
      .argument('<file>', 'a JPEG or PNG of at most 5 MiB; - reads stdin')
      .addOption(
        new Option('--kind <kind>', 'payment_receipt otherwise').choices(KINDS).argParser(choice(KINDS)),
      )
      .addHelpText(
        'after',
        `
Examples:
  paysim sim assets upload slip.jpg
  paysim sim assets upload logo.png --kind other --query id`,
      )
      .action((file: string, flags: Flags) =>
        withControl(flags, async ({ account, show }) => {
          const { bytes, filename } = await readImage(file)
          await show(account.assets.upload(bytes, { kind: flags.kind, filename }), assetView)
        }),
      ),
  )
