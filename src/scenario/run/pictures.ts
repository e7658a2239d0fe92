import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { png } from '../../files/png.ts'
import { folderOf, readBelow } from '../load/scenario-files.ts'
import type { Image } from '../schema/answers.ts'
import type { Stage } from './stage.ts'

interface Picture {
  readonly bytes: Buffer
  readonly contentType: string
  readonly fileName: string
}

const TYPES = { png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif', text: 'text/plain' } as const

/** The image of a step: generated from a name, or read from a file next to the scenario. */
export async function pictureOf(
  step: { image?: Image; file?: string },
  { scenario }: Stage,
): Promise<Picture> {
  if (step.file === undefined) return makeImage(step.image ?? 'receipt')
  const bytes = await readBelow(folderOf(scenario), step.file)
  const contentType = bytes[0] === 0xff ? 'image/jpeg' : 'image/png'
  return { bytes, contentType, fileName: basename(step.file) }
}

/** Builds a multipart body by hand, so that the boundary and each byte are predictable. */
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

/** Generates an image from a name. The same name gives the same bytes; another name gives another image. */
function makeImage(image: Image): Picture {
  const { name, type = 'png', bytes: size } = typeof image === 'string' ? { name: image } : image
  const seed = createHash('sha256').update(name).digest()
  const bytes = {
    png: pngOf,
    jpeg,
    gif,
    text: (of: Buffer) => Buffer.from(`no image: ${of.toString('hex')}\n`),
  }[type](seed)
  return {
    bytes: size === undefined ? bytes : sized(bytes, size),
    contentType: TYPES[type],
    fileName: `${name.replace(/[^\w-]+/g, '-')}.${type}`,
  }
}

/** Decoders stop at the end of an image, so extra bytes only make the file longer. */
const sized = (bytes: Buffer, size: number) =>
  size <= bytes.length ? bytes.subarray(0, size) : Buffer.concat([bytes, Buffer.alloc(size - bytes.length)])

/** Four by four pixels from 32 bytes of a hash of the name. Stored without compression, so its digest never changes. */
function pngOf(seed: Buffer): Buffer {
  const rows = Array.from({ length: 4 }, (_, row) => {
    const pixels = Array.from({ length: 12 }, (_, at) => seed[(row * 12 + at) % 32] ?? 0)
    return Buffer.from([0, ...pixels])
  })
  return png({ side: 4, depth: 8, colour: 'rgb', rows: Buffer.concat(rows) }, { level: 0 })
}

/** A JPEG of one pixel with its name in a comment. */
const jpeg = (seed: Buffer) =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 34]), seed, JPEG_PIXEL.subarray(2)])
const gif = (seed: Buffer) =>
  Buffer.concat([Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;', 'latin1'), seed])

const JPEG_PIXEL = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
)
