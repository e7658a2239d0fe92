import type { Buckets } from '../../../contract/control/overview.ts'
import { countText, humanise, shortTimeText, spanText, type Tone, timeText, toneOf } from '../format.ts'
import { type Palette, TOOLTIP, tooltip } from './chart.tsx'
import type { Option } from './echarts.ts'

const TONES: Readonly<Record<string, Tone>> = { client_errors: 'warn', server_errors: 'bad' }
const colourOf = (palette: Palette, kind: string) => palette.tone[TONES[kind] ?? toneOf(kind)]

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Stacked counts, with one colour for each kind. */
export const barsOption =
  (buckets: Buckets, kinds: readonly string[]) =>
  (palette: Palette): Option => {
    const shown = kinds.filter(kind => buckets.series[kind]?.some(count => count > 0))
    return {
      ...frameOf(buckets, palette),
      legend: legendOf(shown.map(humanise), palette),
      tooltip: {
        ...TOOLTIP,
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: palette.line, opacity: 0.35 } },
        formatter: params => {
          const at = placeOf(params)
          const counts = shown.map(
            kind => [humanise(kind), countText(buckets.series[kind]?.[at] ?? 0)] as const,
          )
          return tooltip(bucketText(buckets, at), counts)
        },
      },
      series: shown.map(kind => ({
        type: 'bar' as const,
        name: humanise(kind),
        stack: 'all',
        barCategoryGap: '18%',
        barMaxWidth: 36,
        data: [...(buckets.series[kind] ?? [])],
        itemStyle: {
          color: colourOf(palette, kind),
          borderColor: palette.surface,
          borderWidth: 1,
          borderRadius: 2,
        },
        emphasis: { disabled: true },
      })),
    }
  }

type Values = readonly (number | null)[]

/** The median and the slow answers. */
export const latencyOption =
  (buckets: Buckets, p50: Values, p95: Values) =>
  (palette: Palette): Option => {
    const lines = [
      ['Median', p50, palette.tone.info],
      ['95 in 100 within', p95, palette.tone.warn],
    ] as const
    return {
      ...frameOf(buckets, palette),
      legend: legendOf(
        lines.map(([name]) => name),
        palette,
      ),
      tooltip: {
        ...TOOLTIP,
        trigger: 'axis',
        axisPointer: { type: 'line', lineStyle: { color: palette.muted } },
        formatter: params => {
          const at = placeOf(params)
          const rows = lines.map(([name, values]) => [name, millisText(values[at])] as const)
          return tooltip(bucketText(buckets, at), rows)
        },
      },
      series: lines.map(([name, values, color]) => ({
        type: 'line' as const,
        name,
        data: [...values],
        connectNulls: true,
        symbolSize: 6,
        showSymbol: values.filter(value => value !== null).length < 3,
        lineStyle: { color, width: 2 },
        itemStyle: { color },
        emphasis: { disabled: true },
      })),
    }
  }

const millisText = (value: number | null | undefined) =>
  typeof value === 'number' ? `${value.toFixed(1)} ms` : '–'

const placeOf = (params: unknown) =>
  ((Array.isArray(params) ? params[0] : params) as { dataIndex: number }).dataIndex

function bucketText({ from, width_ms }: Buckets, at: number): string {
  const start = Date.parse(from) + at * width_ms
  return `${shortTimeText(start)} · ${spanText(width_ms)}`
}

const frameOf = ({ from, width_ms, series }: Buckets, palette: Palette) => {
  const start = Date.parse(from)
  const count = Object.values(series)[0]?.length ?? 0
  const isLong = count * width_ms > 2 * DAY_MS
  return {
    animation: false,
    textStyle: { fontFamily: palette.font },
    // Leave space on the right for half of the last label.
    grid: { left: 8, right: 26, top: 34, bottom: 4, containLabel: true },
    xAxis: {
      type: 'category' as const,
      data: Array.from({ length: count }, (_, at) => labelOf(start + at * width_ms, width_ms, isLong)),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: palette.line } },
      axisLabel: { color: palette.muted, hideOverlap: true, fontSize: 11 },
    },
    yAxis: {
      type: 'value' as const,
      minInterval: 1,
      splitNumber: 4,
      axisLabel: { color: palette.muted, fontSize: 11 },
      splitLine: { lineStyle: { color: palette.line } },
    },
  }
}

/** Shows a time only as precisely as the buckets are. */
function labelOf(at: number, width: number, isLong: boolean): string {
  const time = timeText(at).slice(0, width < MINUTE_MS ? 8 : 5)
  if (!isLong) return time
  const [day = ''] = shortTimeText(at).split(',')
  return width >= DAY_MS ? day : `${day} ${time}`
}

const legendOf = (names: readonly string[], palette: Palette) => ({
  data: [...names],
  left: 0,
  top: 0,
  itemWidth: 10,
  itemHeight: 10,
  itemGap: 16,
  icon: 'roundRect',
  selectedMode: false as const,
  textStyle: { color: palette.muted, fontSize: 12 },
})
