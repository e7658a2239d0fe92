import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { AccountControl } from '../../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { UsageError } from '../../../errors/cli-errors.ts'

interface Flags extends ControlFlags {
  readonly file?: string
}

export const command = (): Command =>
  controlCommand(
    'sim receipts image',
    declare =>
      declare
        .description('Gets the image that was submitted for a payment, byte for byte.')
        .argument('<id>', "of the payment, as pi_…, or the image's SHA-256")
        .option('-f, --file <file>', 'write it there; stdout otherwise, if that is no terminal')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim receipts image pi_123 -f slip.jpg
  paysim sim receipts image pi_123 | sha256sum`,
        )
        .action((id: string, flags: Flags) =>
          withControl(flags, async ({ account }) => {
            if (flags.file === undefined && process.stdout.isTTY)
              throw new UsageError('an image is nothing for a terminal: give --file, or send it on')
            const image = await account.image(await digestOf(account, id))
            if (flags.file === undefined || flags.file === '-') process.stdout.write(image)
            else await keep(image, flags.file)
          }),
        ),
    { records: false },
  )

async function digestOf({ payments }: AccountControl, id: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(id)) return id
  const { receipt_image: image } = await payments.get(id)
  if (image) return image.digest
  throw new UsageError(`no receipt was submitted for ${id}`)
}

async function keep(image: Uint8Array, file: string): Promise<void> {
  try {
    await writeFile(file, image)
  } catch (cause) {
    throw new UsageError(`${file} cannot be written: ${cause instanceof Error ? cause.message : cause}`)
  }
  process.stderr.write(`${file} written, ${image.length} bytes\n`)
}
