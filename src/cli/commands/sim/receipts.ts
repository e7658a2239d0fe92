import { writeFile } from 'node:fs/promises'
import type { AccountControl, AssetRecord, PaymentRecord } from '../../../client/control-client.ts'
import { nounOf, ownCommand, row } from '../../control/row.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { cannotWrite } from '../../named-file.ts'
import {
  idColumn,
  listView,
  memberColumn,
  moneyColumn,
  rowView,
  statusColumn,
  timeColumn,
} from '../../output/columns.ts'
import type { Column } from '../../output/table.ts'
import { readImage } from '../../receipt-image.ts'

/** The images of an account: those that payers submitted, and those that are stored for them. */

const ASSETS: readonly Column[] = [
  idColumn(),
  memberColumn('kind', 'kind'),
  memberColumn('type', 'content_type', { give: 2 }),
  memberColumn('bytes', 'size', { align: 'right' }),
  memberColumn('payment', 'payment', { give: 1, whole: true }),
  timeColumn('stored', 'created_at', { give: 3 }),
  memberColumn('SHA-256', 'digest', { give: 4, least: 12 }),
]

async function digestOf({ payments }: AccountControl, id: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(id)) return id
  const { receipt_image: image } = await payments.get(id)
  if (image) return image.digest
  throw new UsageError(`no receipt was submitted for ${id}`)
}

async function writeImage(image: Uint8Array, file: string): Promise<void> {
  await writeFile(file, image).catch(cannotWrite(file, '--file'))
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

export const receipts = nounOf('sim receipts', {
  list: {
    summary: 'list the payments that require a receipt or have one',
    command: ownCommand('sim receipts list', {
      description: 'List the payments that require a receipt or have one, with the status of the receipt.',
      examples: [
        'paysim sim receipts',
        `paysim sim receipts list -o jsonl | jq 'select(.receipt.status == "processing").id'`,
      ],
      list: true,
      headers: false,
      async run({ account, printer }) {
        const data = (await account.payments.list()).filter(({ receipt }) => receipt)
        await printer.show({ body: { data } }, receiptsView)
      },
    }),
  },
  image: {
    summary: 'get the submitted image',
    command: ownCommand('sim receipts image', {
      description: 'Get the receipt image that was submitted for a payment, unchanged.',
      arguments: { '<id>': 'id of the payment, such as pi_123, or SHA-256 of the image' },
      flags: { '-f, --file <file>': 'write to this file (default: stdout, if it is not a terminal)' },
      examples: [
        'paysim sim receipts image pi_123 -f slip.jpg',
        'paysim sim receipts image pi_123 | sha256sum',
      ],
      records: false,
      async run({ account }, { id, file }: { readonly id: string; readonly file?: string }) {
        if (file === undefined && process.stdout.isTTY)
          throw new UsageError('an image cannot be shown on a terminal: give --file, or redirect stdout')
        const image = await account.image(await digestOf(account, id))
        if (file === undefined || file === '-') process.stdout.write(image)
        else await writeImage(image, file)
      },
    }),
  },
})

const KINDS = ['payment_receipt', 'other'] as const

export const assets = nounOf('sim assets', {
  list: row('GET /accounts/:account/assets', {
    summary: 'list images',
    description: 'List the images that an account holds.',
    examples: ['paysim sim assets', 'paysim sim assets list -o csv > assets.csv'],
    show: { table: { empty: 'No assets.', columns: ASSETS } },
  }),
  upload: {
    summary: 'store an image',
    command: ownCommand('sim assets upload', {
      description: 'Store an image. `payments submit-receipt --asset` takes its id.',
      arguments: { '<file>': 'JPEG or PNG of at most 5 MiB; - means stdin' },
      flags: {
        '--kind <kind>': { about: 'kind of the image, payment_receipt by default', choices: KINDS },
      },
      examples: [
        'paysim sim assets upload slip.jpg',
        'paysim sim assets upload logo.png --kind other --query id',
      ],
      async run({ account, show }, { file, kind }: { readonly file: string; kind?: AssetRecord['kind'] }) {
        const { bytes, filename } = await readImage(file)
        await show(account.assets.upload(bytes, { kind, filename }), rowView(ASSETS))
      },
    }),
  },
})
