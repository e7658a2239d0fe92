import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Option } from 'commander'
import type { AssetRecord } from '../../../client/control-client.ts'
import { checkImage } from '../../../client/receipt/check.ts'
import { readSource } from '../../../client/receipt/source.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { choice } from '../../flag-values.ts'
import type { Column } from '../../output/columns.ts'
import { idColumn, listView, memberColumn, rowView, timeColumn } from './tables.ts'

const KINDS = ['payment_receipt', 'other'] as const

interface UploadFlags extends ControlFlags {
  readonly kind?: AssetRecord['kind']
}

export const commands = {
  list: () =>
    controlCommand(
      'sim assets list',
      command =>
        command
          .description('List the images that an account holds.')
          .addHelpText('after', examples('paysim sim assets', 'paysim sim assets list -o csv > assets.csv'))
          .action((flags: ControlFlags) =>
            withControl(flags, ({ account, show }) => show(account.assets.list(), assetsView)),
          ),
      { list: true },
    ),

  upload: () =>
    controlCommand('sim assets upload', command =>
      command
        .description('Store an image. `payments submit-receipt --asset` takes its id.')
        .argument('<file>', 'JPEG or PNG of at most 5 MiB; - means stdin')
        .addOption(
          new Option('--kind <kind>', 'kind of the image, payment_receipt by default')
            .choices(KINDS)
            .argParser(choice(KINDS)),
        )
        .addHelpText(
          'after',
          examples(
            'paysim sim assets upload slip.jpg',
            'paysim sim assets upload logo.png --kind other --query id',
          ),
        )
        .action((file: string, flags: UploadFlags) =>
          withControl(flags, async ({ account, show }) => {
            const { bytes, filename } = await readImage(file)
            await show(account.assets.upload(bytes, { kind: flags.kind, filename }), assetView)
          }),
        ),
    ),
}

/** Reads an image, and throws an error if the server would not accept it. */
async function readImage(path: string): Promise<{ bytes: Buffer; filename: string }> {
  const source = await readSource(path === '-' ? process.stdin : path)
  const type = checkImage(source)
  const filename = path === '-' ? `stdin.${type === 'image/png' ? 'png' : 'jpg'}` : basename(path)
  return { bytes: await buffer(await source.open()), filename }
}

const COLUMNS: readonly Column[] = [
  idColumn(),
  memberColumn('kind', 'kind'),
  memberColumn('type', 'content_type', { give: 2 }),
  memberColumn('bytes', 'size', { align: 'right' }),
  memberColumn('payment', 'payment', { give: 1, whole: true }),
  timeColumn('stored', 'created_at', { give: 3 }),
  memberColumn('SHA-256', 'digest', { give: 4, least: 12 }),
]

const assetsView = listView<AssetRecord>('No assets.', COLUMNS)
const assetView = rowView<AssetRecord>(COLUMNS)
