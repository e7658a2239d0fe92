import type {
  CustomSeriesRenderItemAPI,
  CustomSeriesRenderItemParams,
  CustomSeriesRenderItemReturn,
} from 'echarts'
import type { Timeline } from '../../../contract/control/timeline.ts'
import { exactText, humanise, shortTimeText, spanText, type Tone, timeText, toneOf } from '../format.ts'
import { type Palette, TOOLTIP, tooltip } from './chart.tsx'
import type { Option } from './echarts.ts'
import { lanesOf, lastTimelineItem, type TimelineItem } from './timeline-items.ts'

const DAY_MS = 86_400_000

/** The chart of a timeline: lanes on a common time axis. */
export function timelineOption(timeline: Timeline, items: readonly TimelineItem[], span: 'past' | 'all') {
  const now = Date.parse(timeline.now)
  const [from, to] = edges(items, now, span)
  const lanes = lanesOf(items)
  const states = statesOf(items, now, to)
  const spans = states.filter(({ at, until, status }) => until > at || FINAL.has(status))
  // A state without duration has no bar, so draw it as a mark.
  const drawn = new Set(spans.map(({ opened }) => opened))
  const marks = items.filter(item => item.where !== 'State' || !drawn.has(item))
  const stacks = new Stacks(marks)
  return (palette: Palette): Option => ({
    animation: false,
    // Leave space on the right for half of the last label.
    grid: { left: 14, right: 44, top: 22, bottom: 66 },
    textStyle: { fontFamily: palette.font },
    xAxis: {
      type: 'value',
      min: from,
      max: to,
      axisLabel: {
        color: palette.muted,
        hideOverlap: true,
        showMinLabel: false,
        showMaxLabel: false,
        formatter: (at: number) => tick(at, to - from),
      },
      axisLine: { lineStyle: { color: palette.line } },
      splitLine: { lineStyle: { color: palette.line } },
    },
    yAxis: {
      type: 'category',
      data: lanes,
      inverse: true,
      axisTick: { show: false },
      axisLine: { show: false },
      // Put the name above the line, because an endpoint's name is long and the window may be narrow.
      axisLabel: {
        color: palette.muted,
        fontSize: 11,
        inside: true,
        margin: 0,
        verticalAlign: 'bottom',
        padding: [0, 0, 9, 0],
      },
      z: 4,
      splitLine: { show: true, lineStyle: { color: palette.line, opacity: 0.6 } },
    },
    tooltip: { ...TOOLTIP, trigger: 'item' },
    dataZoom: [
      { type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, filterMode: 'none' },
      {
        type: 'slider',
        height: 18,
        bottom: 12,
        showDataShadow: false,
        brushSelect: false,
        filterMode: 'none',
        borderColor: palette.line,
        backgroundColor: 'transparent',
        fillerColor: palette.line,
        handleStyle: { color: palette.surface, borderColor: palette.muted },
        moveHandleStyle: { color: palette.line },
        textStyle: { color: palette.muted },
        labelFormatter: (at: number) => shortTimeText(at),
      },
    ],
    series: [
      {
        type: 'custom',
        name: 'States',
        clip: true,
        encode: { x: [1, 2], y: 0 },
        data: spans.map(state => [lanes.indexOf('State'), state.at, state.until]),
        renderItem: (params, api) => {
          const state = spans[params.dataIndex]
          return drawSpan(
            params,
            api,
            palette,
            palette.tone[toneOf(state?.status ?? '')],
            humanise(state?.status ?? ''),
          )
        },
        tooltip: { formatter: params => stateTip(spans[indexOf(params)]) },
        markLine: {
          silent: true,
          symbol: 'none',
          lineStyle: { color: palette.accent, type: 'dashed' },
          label: { formatter: 'now', color: palette.accent, position: 'start', rotate: 0, distance: 4 },
          data: [{ xAxis: now }],
        },
      },
      {
        type: 'custom',
        name: 'Items',
        clip: true,
        z: 3,
        encode: { x: [1, 2], y: 0 },
        data: marks.map(({ lane, at, until }) => [lanes.indexOf(lane), at, until ?? at]),
        renderItem: (params, api) => {
          const mark = marks[params.dataIndex]
          const stack = stacks.at(params.dataIndex, at => api.coord([at, 0])[0] ?? 0)
          if (!mark || !stack) return null
          const tone = stack.some(({ tone: of }) => of === 'bad') ? 'bad' : mark.tone
          return drawMark(api, palette, { tone, isPlanned: mark.where === 'Planned', count: stack.length })
        },
        tooltip: { formatter: params => itemTip(stacks.shown(indexOf(params))) },
      },
    ],
  })
}

const indexOf = (params: unknown) =>
  (Array.isArray(params) ? params[0] : (params as { dataIndex: number })).dataIndex

/** Adds a margin on both sides; the range is never empty. */
function edges(
  items: readonly TimelineItem[],
  now: number,
  span: 'past' | 'all',
): [from: number, to: number] {
  const first = items[0]?.at ?? now
  const past = Math.max(lastTimelineItem(items)?.until ?? lastTimelineItem(items)?.at ?? first, first)
  const ahead = items.filter(({ where }) => where === 'Planned').map(({ at }) => at)
  const last = span === 'all' ? Math.max(...ahead, past, now) : past
  const room = Math.max((last - first) * 0.06, 500)
  return [first - room, last + room]
}

interface StateSpan {
  readonly status: string
  readonly at: number
  readonly until: number
  readonly opened: TimelineItem
}

const FINAL = new Set(['succeeded', 'failed', 'expired', 'cancelled'])

/** From one change of state to the next. The last state continues until now; a final one has no end. */
function statesOf(items: readonly TimelineItem[], now: number, edge: number): StateSpan[] {
  const changes = items.filter(({ status }) => status !== null)
  return changes.map((opened, nth) => {
    const { status, at } = opened
    const next = changes[nth + 1]
    const end = next?.at ?? (FINAL.has(status ?? '') ? Math.max(edge, at) : Math.max(now, at))
    return { status: status ?? '', at, until: end, opened }
  })
}

function stateTip(state: StateSpan | undefined): HTMLElement {
  if (!state) return tooltip('', [])
  const { opened, at, until, status } = state
  const lasted = until > at && !FINAL.has(status) ? ([['for', spanText(until - at)]] as const) : []
  return tooltip(humanise(status), [['by', `${opened.what} ${opened.more}`], ...timesOf(opened), ...lasted])
}

function itemTip(stack: readonly TimelineItem[]): HTMLElement {
  const [first] = stack
  if (!first) return tooltip('', [])
  if (stack.length === 1) return tooltip(first.what, [['', first.more], ...timesOf(first)])
  return tooltip(
    `${stack.length} at about ${exactText(first.at)}`,
    stack.map(({ what, more }) => [what, more] as const),
  )
}

const timesOf = ({ at, wallAt }: TimelineItem): [string, string][] => [
  ['account time', exactText(at)],
  ...(wallAt === null ? [] : [['wall time', exactText(wallAt)] as [string, string]]),
]

/** Shows a time only as precisely as the scale is. */
function tick(at: number, width: number): string {
  if (width > 2 * DAY_MS) return shortTimeText(at).split(',')[0] ?? ''
  if (width < 8000) return `${timeText(at)}.${String(Math.round(at) % 1000).padStart(3, '0')}`
  return timeText(at)
}

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
function drawSpan(
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
function drawMark(
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
class Stacks {
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
