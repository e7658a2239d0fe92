import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { makeImage, type Picture } from '../run/images.ts'
import type { Stage } from '../run/stage.ts'
import type { Image } from '../schema/answers.ts'

/** The picture of a step: made from a name, or a file beside the scenario. */
export async function pictureOf(
  step: { image?: Image; file?: string },
  { scenario }: Stage,
): Promise<Picture> {
  if (step.file === undefined) return makeImage(step.image ?? 'receipt')
  const bytes = await readFile(resolve(scenario.folder, step.file))
  const contentType = bytes[0] === 0xff ? 'image/jpeg' : 'image/png'
  return { bytes, contentType, fileName: basename(step.file) }
}

/** A multipart body, built by hand so that the boundary, and each byte, is the story's. */
export function formOf(boundary: string, fields: Readonly<Record<string, string>>, picture: Picture) {
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${picture.fileName}"\r\nContent-Type: ${picture.contentType}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary="${boundary}"`,
    body: Buffer.concat([
      Buffer.from(head.join('') + file),
      picture.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  }
}
