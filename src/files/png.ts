import { crc32, deflateSync, type ZlibOptions } from 'node:zlib'

interface Pixels {
  /** Of each row and of each column. */
  readonly side: number
  /** The bits of a colour's part in a pixel. */
  readonly depth: 1 | 8
  readonly colour: 'grey' | 'rgb'
  /** Each row, with its filter before it. */
  readonly rows: Buffer
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/**
 * A PNG. Compressors differ between versions of Node, so for bytes that must not, choose settings of zlib that leave
 * nothing to choose.
 */
export function png({ side, depth, colour, rows }: Pixels, settings: ZlibOptions): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side)
  header.writeUInt32BE(side, 4)
  header.set([depth, colour === 'grey' ? 0 : 2], 8)
  return Buffer.concat([
    SIGNATURE,
    ...chunk('IHDR', header),
    ...chunk('IDAT', deflateSync(rows, settings)),
    ...END,
  ])
}

/** A part of a PNG: its length, its type, its data, and the checksum of these two. */
function chunk(type: string, data: Buffer): readonly Buffer[] {
  const [start, sum] = [Buffer.alloc(8), Buffer.alloc(4)]
  start.writeUInt32BE(data.length)
  start.write(type, 4, 'latin1')
  sum.writeUInt32BE(crc32(data, crc32(start.subarray(4))))
  return [start, data, sum]
}

const END = chunk('IEND', Buffer.alloc(0))
