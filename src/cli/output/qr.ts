import { qrModules } from '../../qr/qr-modules.ts'
import type { Screen } from './screen.ts'

/** Light modules around a symbol: the standard requires four, but scanners accept two on a narrow screen. */
const QUIET_ZONES = [4, 2]

type Dark = (x: number, y: number) => boolean

/** The QR code of a text in half blocks, or a line that says why it is not drawn. */
export function drawQr(text: string, screen: Screen): string {
  let symbol: ReturnType<typeof qrModules>
  try {
    symbol = qrModules(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return `(${Buffer.byteLength(text)} bytes are too many for a QR code)`
  }
  const quiet = QUIET_ZONES.find(modules => symbol.size + 2 * modules <= screen.width)
  if (quiet === undefined)
    return `(the QR code needs ${symbol.size + 2 * Math.min(...QUIET_ZONES)} columns, but the screen has only ${screen.width})`
  return drawn(symbol.dark, symbol.size, quiet, screen)
}

function drawn(dark: Dark, size: number, quiet: number, { paint }: Screen): string {
  const coloured = paint.level > 0
  const paper = paint.bgHex('#ffffff').hex('#000000')
  // Without colours, a full block has the colour of the terminal's text. That is right on a dark screen. On a light one
  // it is the negative, which most scanners can read too.
  const inked: Dark = coloured ? dark : (x, y) => !dark(x, y)
  const lines: string[] = []
  for (let y = -quiet; y < size + quiet; y += 2) {
    let line = ''
    for (let x = -quiet; x < size + quiet; x++) line += halves(inked(x, y), inked(x, y + 1))
    lines.push(coloured ? paper(line) : line)
  }
  return lines.join('\n')
}

function halves(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
