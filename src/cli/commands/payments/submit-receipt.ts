import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Answer, PaymentIntent } from '../../../client/index.ts'
import { checkImage } from '../../../client/receipt/check.ts'
import { readSource } from '../../../client/receipt/source.ts'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { type Session, withSession } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { keyFor } from '../../fields/idempotency-key.ts'
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
        .description("Submits the evidence of a bank transfer: an image of the payer's slip.")
        .argument('<id>', 'of the payment, as pi_…')
        .option('--file <image>', 'JPEG or PNG of at most 5 MiB; - reads it from stdin')
        .addOption(new Option('--asset <id>', 'an image that was uploaded before').conflicts('file'))
        .addOption(
          new Option(
            '--idempotency-key <key>',
            'answered once, however often it is sent; made and told, unless given',
          ).conflicts('asset'),
        )
        .addHelpText(
          'after',
          `
The image is looked at before anything is sent. Whatever happens on the way, the same image with the same key is
submitted once; an asset needs no key, since the same asset again is.

Examples:
  paysim payments submit-receipt pi_123 --file slip.jpg
  paysim payments submit-receipt pi_123 --file slip.jpg --idempotency-key 6f1f7a52-3c1e-4d0c-9f4e-0a1b2c3d4e5f
  paysim payments submit-receipt pi_123 --asset ast_123 --query receipt.status
  convert slip.heic jpg:- | paysim payments submit-receipt pi_123 --file -`,
        )
        .action((id: string, flags: ReceiptFlags) => {
          if (flags.file === undefined && flags.asset === undefined)
            throw new UsageError('a receipt needs its image: --file, or --asset')
          if (flags.file === '-' && flags.keyFile === '-')
            throw new UsageError('--file - and --key-file - both read stdin, which is read once')
          return withSession(flags, async session =>
            session.show(await submit(id, flags, session), paymentView),
          )
        }),
    { changes: true },
  )

async function submit(id: string, flags: ReceiptFlags, session: Session): Promise<Answer<PaymentIntent>> {
  const { client, signal } = session
  const deed = `submit a receipt for the payment ${id}`
  if (flags.asset !== undefined) {
    await confirmLive(flags, session, deed)
    return client.payments.submitReceipt(id, { assetId: flags.asset, signal }).answer()
  }
  const file = await readImage(flags.file ?? '-')
  await confirmLive(flags, session, deed)
  const bar = progressBar(typeof file === 'string' ? basename(file) : 'stdin')
  try {
    return await client.payments
      .submitReceipt(id, { file, idempotencyKey: keyFor(flags), onProgress: bar.update, signal })
      .answer()
  } finally {
    bar.clear()
  }
}

/** Looked at before anybody is asked, told or sent anything. An image from stdin is read whole, to be sent again if need be. */
async function readImage(name: string): Promise<string | Uint8Array> {
  const source = await readSource(name === '-' ? process.stdin : name)
  checkImage(source)
  return name === '-' ? buffer(await source.open()) : name
}
