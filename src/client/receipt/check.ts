import { LIMITS, type RECEIPT_TYPES } from '../../contract/limits.ts'
import { ReceiptError } from '../errors.ts'
import type { Source } from './source.ts'

export type ImageType = (typeof RECEIPT_TYPES)[number]

const SIGNATURES: readonly { readonly type: ImageType; readonly bytes: readonly number[] }[] = [
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
]

/**
 * Detects the type of an image by its first bytes, because names and declared types can be wrong. Throws if the server
 * would refuse the image.
 */
export function checkImage({ size, start, path }: Source): ImageType {
  const name = path ?? 'the image'
  if (size === 0) throw new ReceiptError('empty', `${name} is empty`)
  if (size > LIMITS.receiptImage)
    throw new ReceiptError(
      'too_large',
      path === undefined
        ? `${name} is larger than ${LIMITS.receiptImage} bytes (5 MiB), the limit for a receipt`
        : `${name} has ${size} bytes; a receipt may have at most ${LIMITS.receiptImage} (5 MiB)`,
    )
  const found = SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => start[index] === byte))
  if (!found)
    throw new ReceiptError(
      'not_an_image',
      `${name} is neither a JPEG nor a PNG: its first bytes show another type`,
    )
  return found.type
}
