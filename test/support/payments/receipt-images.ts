import { PNG } from 'pngjs'

/** The largest size of a receipt image: five mebibytes. */
export const MOST_BYTES = 5_242_880

/** A real PNG of one pixel; another shade is another image. */
export function png(shade = 0): Buffer {
  const image = new PNG({ width: 1, height: 1 })
  image.data.set([shade, 255 - shade, 0, 255])
  return PNG.sync.write(image)
}

/** A real JPEG of one pixel. */
export function jpeg(): Buffer {
  return Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==',
    'base64',
  )
}

/** An image followed by zeros up to a size. */
export function padded(image: Buffer, size: number): Buffer {
  return Buffer.concat([image, Buffer.alloc(size - image.length)])
}

export const NOT_IMAGES: [string, Buffer][] = [
  ['a GIF', Buffer.from('474946383961010001000000003b', 'hex')],
  ['a WebP', Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1')],
  ['a PDF', Buffer.from('%PDF-1.7\n')],
  ['plain text', Buffer.from('PNG, honestly')],
  ['a PNG signature one byte short', Buffer.from('89504e470d0a1a', 'hex')],
  ['a PNG signature with its last byte wrong', Buffer.from('89504e470d0a1a0b0000000d49484452', 'hex')],
  ['a PNG signature after another byte', Buffer.concat([Buffer.from([0]), png()])],
  ['nothing at all', Buffer.alloc(0)],
]
