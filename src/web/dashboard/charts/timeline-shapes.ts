import type {
  CustomSeriesRenderItemAPI,
  CustomSeriesRenderItemParams,
  CustomSeriesRenderItemReturn,
} from 'echarts'
import type { Tone } from '../format/words.ts'
import type { Palette } from './palette.ts'
import type { TimelineItem } from './timeline-items.ts'

const LANE_HEIGHT = 22
/** The least width, so that even an instant is visible. */
const LEAST_WIDTH = 9

function placeOf(api: CustomSeriesRenderItemAPI) {
  const [lane, from, to] = [api.value(0), api.value(1), api.value(2)]
  const [left = 0, middle = 0] = api.coord([from, lane])
  const [right = 0] = api.coord([to, lane])
  return { left, right, middle }
}

/** A state as a bar, with its name if there is space. */
export function drawSpan(
  params: CustomSeriesRenderItemParams,
  api: CustomSeriesRenderItemAPI,
  palette: Palette,
  colour: string,
  name: string,
): CustomSeriesRenderItemReturn {
  const { left, right, middle } = placeOf(api)
  const frame = params.coordSys as unknown as { x: number; width: number }
  const x = Math.max(left, frame.x - 4)
  const end = Math.min(Math.max(right, left + LEAST_WIDTH), frame.x + frame.width + 4)
  if (end <= x) return null
  const width = end - x
  const hasRoom = width > name.length * 7 + 12
  return {
    type: 'rect',
    shape: { x, y: middle - LANE_HEIGHT / 2, width, height: LANE_HEIGHT, r: 4 },
    style: { fill: colour, stroke: palette.surface, lineWidth: 2 },
    textContent: {
      type: 'text',
      style: { text: hasRoom ? name : '', fill: palette.surface, fontSize: 11, fontWeight: 600 },
    },
    textConfig: { position: 'inside' },
  }
}

interface MarkStyle {
  readonly tone: Tone
  readonly isPlanned: boolean
  /** How many marks are at this place at this scale. */
  readonly count: number
}

/** A mark for an instant or a short time: hollow if it is in the future, with a number if it stands for several. */
export function drawMark(
  api: CustomSeriesRenderItemAPI,
  palette: Palette,
  { tone, isPlanned, count }: MarkStyle,
): CustomSeriesRenderItemReturn {
  const { left, right, middle } = placeOf(api)
  const style = isPlanned
    ? { fill: palette.surface, stroke: palette.accent, lineWidth: 2 }
    : { fill: palette.tone[tone], stroke: palette.surface, lineWidth: 1.5 }
  if (count > 1)
    return {
      type: 'circle',
      shape: { cx: left, cy: middle, r: 9 },
      style,
      textContent: {
        type: 'text',
        style: {
          text: String(count),
          fill: isPlanned ? palette.accent : palette.surface,
          fontSize: 11,
          fontWeight: 700,
        },
      },
      textConfig: { position: 'inside' },
    }
  if (right - left > LEAST_WIDTH)
    return {
      type: 'rect',
      shape: { x: left, y: middle - 6, width: right - left, height: 12, r: 6 },
      style,
    }
  return { type: 'circle', shape: { cx: left, cy: middle, r: 6 }, style }
}

/** Marks closer than this would overlap. */
const APART_PX = 13

/** Groups the marks of a lane that overlap at this scale. The first of them stands for all, so none is hidden. */
export class Stacks {
  readonly #byLane = new Map<string, number[]>()
  readonly #shown = new Map<number, readonly TimelineItem[]>()

  constructor(private readonly marks: readonly TimelineItem[]) {
    marks.forEach(({ lane }, nth) => {
      this.#byLane.set(lane, [...(this.#byLane.get(lane) ?? []), nth])
    })
  }

  /** The marks that this one stands for; undefined if another one stands for it. */
  at(wanted: number, placeOf: (at: number) => number): readonly TimelineItem[] | undefined {
    const lane = this.#byLane.get(this.marks[wanted]?.lane ?? '') ?? []
    const inOrder = lane
      .map(nth => ({ nth, x: placeOf(this.marks[nth]?.at ?? 0) }))
      .sort((a, b) => a.x - b.x || a.nth - b.nth)
    let stack: { nth: number; x: number }[] = []
    for (const mark of inOrder) {
      if (stack[0] && mark.x - stack[0].x < APART_PX) stack.push(mark)
      else {
        if (stack[0]?.nth === wanted) break
        stack = [mark]
      }
    }
    if (stack[0]?.nth !== wanted) return undefined
    const stands = stack.flatMap(({ nth }) => this.marks[nth] ?? [])
    this.#shown.set(wanted, stands)
    return stands
  }

  /** The result of the last drawing. */
  shown(nth: number): readonly TimelineItem[] {
    return this.#shown.get(nth) ?? []
  }
}
