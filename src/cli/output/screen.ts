import { stripVTControlCharacters } from 'node:util'
import { Chalk, type ChalkInstance, type ColorSupportLevel } from 'chalk'
import { ownPaint } from './door.ts'

/** The terminal or pipe that a person reads, and the present time. */
export interface Screen {
  readonly width: number
  readonly paint: ChalkInstance
  /** An IANA name. Empty for the zone of this machine, because its offset is found faster than its name. */
  readonly timeZone: string
  /** The time that "3 minutes ago" is relative to. */
  readonly now: number
  /** The columns that a text takes, not counting its colours. */
  readonly widthOf: (text: string) => number
  /** Called by a table with the columns that did not fit. */
  readonly onDropped?: (headers: readonly string[]) => void
}

/** A pipe has no width. This is enough for a table, and narrow enough to read without scrolling. */
const WIDTH_OF_PIPE = 100

export interface ScreenFlags {
  readonly color?: boolean
}

/** `ascii`: all text to be measured is ASCII, so the module that measures Unicode, a third of a start, is not loaded. */
export async function openScreen(
  stream: NodeJS.WriteStream,
  flags: ScreenFlags,
  { ascii = false } = {},
): Promise<Screen> {
  const { widthOf } = ascii ? { widthOf: lengthOf } : await import('./width-of.ts')
  return {
    width: widthOfScreen(stream),
    paint: ownPaint(new Chalk({ level: levelOf(stream, flags) })),
    timeZone: '',
    now: Date.now(),
    widthOf,
  }
}

/** The columns that a text of ASCII takes. */
export const lengthOf = (text: string) => stripVTControlCharacters(text).length

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
