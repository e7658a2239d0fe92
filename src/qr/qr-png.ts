import { drawPng } from './png.ts'
import { encode } from './symbol.ts'

// By hand, as a symbol is drawn for each payment on the thread that serves it: the libraries score all eight
// masks and rebuild the symbol for each, which takes 300 to 1500 µs. This takes 20.

/** The symbol of a text, which is UTF-8 in it, as a PNG; a RangeError when it has more than 560 bytes. */
export function qrPng(text: string): Buffer {
  return drawPng(encode(text))
}
