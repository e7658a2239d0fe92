import { Chalk, type ColorSupportLevel } from 'chalk'
import type { Screen } from '../../../src/cli/output/screen.ts'
import { widthOf } from '../../../src/cli/output/width-of.ts'

/** A screen in Bangkok, twenty past ten in the evening. */
export function screenOf(width: number, level: ColorSupportLevel = 0): Screen {
  return {
    width,
    paint: new Chalk({ level }),
    timeZone: 'Asia/Bangkok',
    now: Date.parse('2026-11-21T15:20:00.000Z'),
    widthOf,
  }
}
