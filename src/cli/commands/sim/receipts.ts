import { writeFile } from 'node:fs/promises'
import type { AccountControl, PaymentRecord } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { idColumn, listView, memberColumn, moneyColumn, statusColumn } from './tables.ts'

interface ImageFlags extends ControlFlags {
  readonly file?: string
}

export const commands = {
  list: () =>
    controlCommand(
      'sim receipts list',
      command =>
        command
          .description(
            'List the payments that require a receipt or have one, with the status of the receipt.',
          )
          .addHelpText(
            'after',
            examples(
              'paysim sim receipts',
              `paysim sim receipts list -o jsonl | jq 'select(.receipt.status == "processing").id'`,
            ),
          )
          .action((flags: ControlFlags) =>
            withControl(flags, async ({ account, printer }) => {
              const data = (await account.payments.list()).filter(({ receipt }) => receipt)
              await printer.show({ body: { data } }, receiptsView)
            }),
          ),
      { list: true, headers: false },
    ),

  image: () =>
    controlCommand(
      'sim receipts image',
      command =>
        command
          .description('Get the receipt image that was submitted for a payment, unchanged.')
          .argument('<id>', 'id of the payment, such as pi_123, or SHA-256 of the image')
          .option('-f, --file <file>', 'write to this file (default: stdout, if it is not a terminal)')
          .addHelpText(
            'after',
            examples(
              'paysim sim receipts image pi_123 -f slip.jpg',
              'paysim sim receipts image pi_123 | sha256sum',
            ),
          )
          .action((id: string, flags: ImageFlags) =>
            withControl(flags, async ({ account }) => {
              if (flags.file === undefined && process.stdout.isTTY)
                throw new UsageError(
                  'an image cannot be shown on a terminal: give --file, or redirect stdout',
                )
              const image = await account.image(await digestOf(account, id))
              if (flags.file === undefined || flags.file === '-') process.stdout.write(image)
              else await writeImage(image, flags.file)
            }),
          ),
      { records: false },
    ),
}

async function digestOf({ payments }: AccountControl, id: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(id)) return id
  const { receipt_image: image } = await payments.get(id)
  if (image) return image.digest
  throw new UsageError(`no receipt was submitted for ${id}`)
}

async function writeImage(image: Uint8Array, file: string): Promise<void> {
  try {
    await writeFile(file, image)
  } catch (cause) {
    throw new UsageError(`${file} cannot be written: ${cause instanceof Error ? cause.message : cause}`)
  }
  process.stderr.write(`${file} written, ${image.length} bytes\n`)
}

const receiptsView = listView<PaymentRecord>(
  'No payment requires a receipt or has one.',
  [
    idColumn('payment'),
    statusColumn('status', 'status'),
    statusColumn('receipt', 'receipt.status'),
    memberColumn('rejected for', 'receipt.failure_message', { give: 2 }),
    memberColumn('submitted', 'receipt_image.submissions', { align: 'right', give: 3 }),
    moneyColumn({ give: 4 }),
    memberColumn('asset', 'receipt_image.asset_id', { give: 5, whole: true }),
    memberColumn('SHA-256', 'receipt_image.digest', { give: 6, least: 12 }),
  ],
  [
    'id',
    'status',
    'receipt.status',
    'receipt.failure_message',
    'receipt_image.submissions',
    'receipt_image.digest',
  ],
)
