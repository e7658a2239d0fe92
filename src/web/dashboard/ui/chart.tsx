import { useState } from 'preact/hooks'
import type { Buckets } from '../../../contract/control/overview.ts'
import { countText, shortTimeText, spanText, type Tone, timeText } from '../format.ts'
import { go } from '../state/router.ts'

interface Series {
  readonly name: string
  readonly tone: Tone
  readonly values: readonly (number | null)[]
  /** The list of what it counts. */
  readonly href?: string | undefined
}

interface ChartProps {
  readonly buckets: Buckets
  readonly series: readonly Series[]
  /** Bars stand on each other; lines are broken where there is no value. */
  readonly as: 'bars' | 'lines'
  /** What the chart shows, for screen readers. */
  readonly label: string
  readonly textOf?: (value: number) => string
  /** The list of what one bar counts, between two times. */
  readonly hrefOf?: (from: string, before: string) => string
}

/**
 * Values over time, drawn by the browser itself, so colours and themes are those of the style sheet. The pointer or the
 * arrow keys choose a period, whose values are then said; a click or Enter opens its list.
 */
export function Chart({ buckets, series, as, label, textOf = countText, hrefOf }: ChartProps) {
  const [at, setAt] = useState<number | null>(null)
  const shown = series.filter(({ values }) => values.some(value => value !== null && value > 0))
  const count = Math.max(1, ...series.map(({ values }) => values.length))
  const top = roundTop(highest(shown, count, as))
  const open = (nth: number | null) => {
    if (nth !== null && hrefOf) go(hrefOf(startOf(buckets, nth), startOf(buckets, nth + 1)))
  }
  const under = ({ clientX, currentTarget }: MouseEvent & { currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (event.key === 'Enter') open(at)
    else if (step === undefined) return
    else setAt(Math.max(0, Math.min(count - 1, (at ?? (step > 0 ? -1 : count)) + step)))
    event.preventDefault()
  }
  return (
    <div class="chart">
      <ul class="legend" aria-label="What it shows">
        {shown.map(({ name, tone, href }) => (
          <li key={name} class={tone}>
            {href ? <a href={href}>{name}</a> : name}
          </li>
        ))}
      </ul>
      <div
        class={`plot${hrefOf ? ' opens' : ''}`}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(at ?? count - 1) + 1}
        aria-valuetext={[
          bucketText(buckets, at ?? count - 1),
          ...valuesAt(shown, at ?? count - 1, textOf),
        ].join(', ')}
        onMouseMove={event => setAt(under(event))}
        onMouseLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onClick={event => open(under(event))}
        onKeyDown={onKeyDown}
      >
        <span class="most">{textOf(top)}</span>
        <svg viewBox={`0 0 ${count} ${top}`} preserveAspectRatio="none" aria-hidden="true">
          {at !== null && <rect class="chosen" x={at} y={0} width={1} height={top} />}
          {as === 'bars' ? (
            <Bars series={shown} count={count} top={top} />
          ) : (
            <Lines series={shown} top={top} />
          )}
        </svg>
        {at !== null && (
          <div class={`chart-tip${at > count / 2 ? ' left' : ''}`} style={{ '--at': (at + 0.5) / count }}>
            <strong>{bucketText(buckets, at)}</strong>
            {valuesAt(shown, at, textOf).map(text => (
              <span key={text}>{text}</span>
            ))}
          </div>
        )}
      </div>
      <div class="axis" aria-hidden="true">
        {labelsOf(buckets, count).map((text, nth) => (
          <span key={nth}>{text}</span>
        ))}
      </div>
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }

/** The share of a period that its bar is wide. */
const BAR = 0.82
const FEW = 14

function Bars({ series, count, top }: { series: readonly Series[]; count: number; top: number }) {
  const below = new Array<number>(count).fill(0)
  const width = BAR * Math.min(1, count / FEW)
  return (
    <>
      {series.flatMap(({ name, tone, values }) =>
        values.flatMap((value, nth) => {
          if (!value) return []
          const start = below[nth] ?? 0
          below[nth] = start + value
          const place = { x: nth + (1 - width) / 2, y: top - start - value, width, height: value }
          return [<rect key={`${name} ${nth}`} class={`fill ${tone}`} {...place} />]
        }),
      )}
    </>
  )
}

/** A value between two periods without any is a dot, which a line of no length with round ends draws. */
const Lines = ({ series, top }: { series: readonly Series[]; top: number }) => (
  <>
    {series.map(({ name, tone, values }) => (
      <path key={name} class={`line ${tone}`} d={pathOf(values, top)} />
    ))}
  </>
)

function pathOf(values: Series['values'], top: number): string {
  return values
    .map((value, nth) => {
      if (value === null) return ''
      const isFirst = (values[nth - 1] ?? null) === null
      return `${isFirst ? 'M' : 'L'}${nth + 0.5} ${top - value}${isFirst ? 'h0' : ''}`
    })
    .join('')
}

function highest(series: readonly Series[], count: number, as: ChartProps['as']): number {
  if (as === 'lines') return Math.max(0, ...series.flatMap(({ values }) => values.map(value => value ?? 0)))
  const sums = Array.from({ length: count }, (_, nth) =>
    series.reduce((sum, { values }) => sum + (values[nth] ?? 0), 0),
  )
  return Math.max(0, ...sums)
}

/** A number that reads well, and is not much above the highest value. */
function roundTop(value: number): number {
  if (value <= 1) return 1
  const size = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 3, 4, 5, 6, 8, 10].map(n => n * size).find(n => n >= value) ?? value
}

const valuesAt = (series: readonly Series[], at: number, textOf: (value: number) => string) =>
  series.map(({ name, values }) => {
    const value = values[at] ?? null
    return `${name} ${value === null ? '–' : textOf(value)}`
  })

const startOf = ({ from, width_ms }: Buckets, nth: number) =>
  new Date(Date.parse(from) + nth * width_ms).toISOString()

const bucketText = (buckets: Buckets, at: number) =>
  `${shortTimeText(Date.parse(startOf(buckets, at)))} · ${spanText(buckets.width_ms)}`

const DAY_MS = 86_400_000

/** The ends and the middle, only as precise as the periods are. */
function labelsOf(buckets: Buckets, count: number): string[] {
  const isLong = count * buckets.width_ms > 2 * DAY_MS
  return [...new Set([0, Math.floor((count - 1) / 2), count - 1])].map(nth => {
    const at = Date.parse(startOf(buckets, nth))
    const time = timeText(at).slice(0, buckets.width_ms < 60_000 ? 8 : 5)
    const [day = ''] = shortTimeText(at).split(',')
    return isLong ? (buckets.width_ms >= DAY_MS ? day : `${day} ${time}`) : time
  })
}
