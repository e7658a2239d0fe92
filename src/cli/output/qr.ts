import { encodeQR } from 'qr'
import type { Screen } from './screen.ts'

/** Light modules around a symbol: the standard requires four, but scanners accept two on a narrow screen. */
const QUIET_ZONE = 4
const NARROW_QUIET_ZONE = 2

/** Whether the module in a column is dark. Light outside of the symbol. */
type Row = readonly boolean[]

/** The QR code of a text in half blocks, or a line that says why it is not drawn. */
export function drawQr(text: string, screen: Screen): string {
  let rows: readonly Row[]
  try {
    rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  } catch {
    return `(${Buffer.byteLength(text)} bytes are too many for a QR code)`
  }
  if (rows.length > screen.width) rows = withoutEdge(rows, QUIET_ZONE - NARROW_QUIET_ZONE)
  if (rows.length > screen.width)
    return `(the QR code needs ${rows.length} columns, but the screen has only ${screen.width})`
  return drawn(rows, screen)
}

const withoutEdge = (rows: readonly Row[], width: number) =>
  rows.slice(width, -width).map(row => row.slice(width, -width))

function drawn(rows: readonly Row[], { paint }: Screen): string {
  const coloured = paint.level > 0
  const paper = paint.bgHex('#ffffff').hex('#000000')
  // Without colours, a full block has the colour of the terminal's text. That is right on a dark screen. On a light one
  // it is the negative, which most scanners can read too.
  const inked = (dark = false) => dark === coloured
  const lines: string[] = []
  for (let y = 0; y < rows.length; y += 2) {
    const line = rows[y]?.map((upper, x) => halves(inked(upper), inked(rows[y + 1]?.[x]))).join('') ?? ''
    lines.push(coloured ? paper(line) : line)
  }
  return lines.join('\n')
}

function halves(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
