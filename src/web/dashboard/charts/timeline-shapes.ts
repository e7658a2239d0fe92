import type {
  CustomSeriesRenderItemAPI,
  CustomSeriesRenderItemParams,
  CustomSeriesRenderItemReturn,
} from 'echarts'
import type { Palette } from './palette.ts'

const LANE_HEIGHT = 22
/** What takes no time is still seen. */
const LEAST_WIDTH = 9

function placeOf(api: CustomSeriesRenderItemAPI) {
  const [lane, from, to] = [api.value(0), api.value(1), api.value(2)]
  const [left = 0, middle = 0] = api.coord([from, lane])
  const [right = 0] = api.coord([to, lane])
  return { left, right, middle }
}

/** A state that lasted: a bar as long as it did, with its name where there is room for it. */
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

/** A moment, or a short while; hollow while it is still to come. */
export function drawMark(
  api: CustomSeriesRenderItemAPI,
  palette: Palette,
  colour: string,
  isToCome: boolean,
): CustomSeriesRenderItemReturn {
  const { left, right, middle } = placeOf(api)
  const style = isToCome
    ? { fill: palette.surface, stroke: palette.accent, lineWidth: 2 }
    : { fill: colour, stroke: palette.surface, lineWidth: 1.5 }
  if (right - left > LEAST_WIDTH)
    return {
      type: 'rect',
      shape: { x: left, y: middle - 6, width: right - left, height: 12, r: 6 },
      style,
    }
  return { type: 'circle', shape: { cx: left, cy: middle, r: 6 }, style }
}
