import { createHash } from 'node:crypto'
import { PNG } from 'pngjs'

/** A small real PNG; each seed is another image. */
export function pngImage(seed: number): Uint8Array<ArrayBuffer> {
  const image = new PNG({ width: 4, height: 4 })
  image.data.fill(0xff)
  image.data.writeUInt32BE(seed >>> 0, 0)
  return new Uint8Array(PNG.sync.write(image))
}

export function imageForm(seed: number, fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([pngImage(seed)], { type: 'image/png' }), 'receipt.png')
  return form
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
