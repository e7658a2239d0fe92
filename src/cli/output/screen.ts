import { stripVTControlCharacters } from 'node:util'
import { Chalk, type ChalkInstance, type ColorSupportLevel } from 'chalk'

/** What a person looks at, and when. */
export interface Screen {
  readonly width: number
  readonly paint: ChalkInstance
  /** An IANA name; empty for the zone of this machine, whose name takes longer to find out than its offset. */
  readonly timeZone: string
  /** What "3 minutes ago" is reckoned from. */
  readonly now: number
  /** Columns that a text takes, whatever is painted in it. */
  readonly widthOf: (text: string) => number
  /** Told of columns that had no room, by whoever draws a table. */
  readonly onDropped?: (headers: readonly string[]) => void
}

/** A pipe has no width: enough for a table, and not so much that a reader has to scroll. */
const WIDTH_OF_PIPE = 100

export interface ScreenFlags {
  readonly color?: boolean
}

/** `ascii`: nothing else will be measured, and what measures all of Unicode, a third of a bare start, is not loaded. */
export async function openScreen(
  stream: NodeJS.WriteStream,
  flags: ScreenFlags,
  { ascii = false } = {},
): Promise<Screen> {
  const { widthOf } = ascii ? { widthOf: lengthOf } : await import('./width-of.ts')
  return {
    width: widthOfScreen(stream),
    paint: new Chalk({ level: levelOf(stream, flags) }),
    timeZone: '',
    now: Date.now(),
    widthOf,
  }
}

const lengthOf = (text: string) => stripVTControlCharacters(text).length

function widthOfScreen({ columns }: NodeJS.WriteStream): number {
  const declared = Number(process.env.COLUMNS)
  return columns || (Number.isSafeInteger(declared) && declared > 0 ? declared : WIDTH_OF_PIPE)
}

/** `--no-color` beats FORCE_COLOR, which beats NO_COLOR, which beats what the terminal can do. */
function levelOf(stream: NodeJS.WriteStream, { color }: ScreenFlags): ColorSupportLevel {
  if (color === false) return 0
  const { FORCE_COLOR: forced, NO_COLOR: none } = process.env
  if (forced !== undefined) return forcedLevel(forced)
  if (none || !stream.isTTY) return 0
  const depth = stream.getColorDepth()
  return depth >= 24 ? 3 : depth >= 8 ? 2 : depth >= 4 ? 1 : 0
}

function forcedLevel(forced: string): ColorSupportLevel {
  if (forced === '0' || forced === 'false') return 0
  return forced === '3' ? 3 : forced === '2' ? 2 : 1
}
