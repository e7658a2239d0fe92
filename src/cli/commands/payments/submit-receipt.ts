import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Answer, PaymentIntent } from '../../../client/index.ts'
import { checkImage, readSource } from '../../../client/receipt.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { keyFor } from '../../fields/request-fields.ts'
import { warnIfCut } from '../../image-end.ts'
import { paymentView } from '../../output/views/payment.ts'
import { confirmLive } from '../../prompts/confirm.ts'
import { progressBar } from '../../prompts/progress-bar.ts'

interface ReceiptFlags extends MerchantFlags {
  readonly file?: string
  readonly asset?: string
  readonly idempotencyKey?: string
}

export const command = (): Command =>
  merchantCommand(
    'payments submit-receipt',
    declare =>
      declare
        .description("Submit a receipt for a bank transfer: an image of the payer's slip.")
        .argument('<id>', 'id of the payment, such as pi_123')
        .option('--file <image>', 'a JPEG or PNG image of at most 5 MiB; - means stdin')
        .addOption(new Option('--asset <id>', 'id of an image that was uploaded before').conflicts('file'))
        .addOption(
          new Option(
            '--idempotency-key <key>',
            'the server submits once per key (default: a new key, printed to stderr)',
          ).conflicts('asset'),
        )
        .addHelpText(
          'after',
          `
The command checks the image before it sends anything. If a call fails, repeat it with the same image and the same key:
the image is submitted only once. An asset needs no key, because the same asset is submitted only once anyway.

Examples:
  paysim payments submit-receipt pi_123 --file slip.jpg
  paysim payments submit-receipt pi_123 --file slip.jpg --idempotency-key 6f1f7a52-3c1e-4d0c-9f4e-0a1b2c3d4e5f
  paysim payments submit-receipt pi_123 --asset ast_123 --query receipt.status
  convert slip.heic jpg:- | paysim payments submit-receipt pi_123 --file -`,
        )
        .action((id: string, flags: ReceiptFlags) => {
          if (flags.file === undefined && flags.asset === undefined)
            throw new UsageError('the image is missing: give --file or --asset')
          if (flags.file === '-' && flags.keyFile === '-')
            throw new UsageError('--file and --key-file cannot both read stdin: give a file for one of them')
          return withSession(flags, async session =>
            session.show(await submit(id, flags, session), paymentView),
          )
        }),
    { changes: true },
  )

async function submit(id: string, flags: ReceiptFlags, session: Session): Promise<Answer<PaymentIntent>> {
  const { client, signal } = session
  const action = `submit a receipt for the payment ${id}`
  if (flags.asset !== undefined) {
    await confirmLive(flags, session, action)
    return client.payments.submitReceipt(id, { assetId: flags.asset, signal }).answer()
  }
  const file = await readImage(flags.file ?? '-')
  await confirmLive(flags, session, action)
  const bar = progressBar(typeof file === 'string' ? basename(file) : 'stdin')
  try {
    return await client.payments
      .submitReceipt(id, {
        file,
        idempotencyKey: keyFor(flags),
        onProgress: ({ sentBytes, totalBytes }) => bar.update(sentBytes, totalBytes),
        signal,
      })
      .answer()
  } finally {
    bar.clear()
  }
}

/** Checks the image first of all. An image from stdin is read completely, so that a retry can send it again. */
async function readImage(name: string): Promise<string | Uint8Array> {
  const source = await readSource(name === '-' ? process.stdin : name)
  checkImage(source)
  const bytes = await buffer(await source.open())
  warnIfCut(name === '-' ? 'stdin' : name, bytes)
  return name === '-' ? bytes : name
}
