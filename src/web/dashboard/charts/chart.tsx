import type { EChartsType } from 'echarts/core'
import { useEffect, useRef } from 'preact/hooks'
import type { Tone } from '../format.ts'
import { isDark } from '../state/theme.ts'
import type { Option } from './echarts.ts'

interface ChartProps {
  /** Makes the options of the chart with the colours of the current theme. */
  readonly option: (palette: Palette) => Option
  readonly height: number
  /** What the chart shows, for screen readers. */
  readonly label: string
}

/** The only component that uses the chart library, which is loaded with the first chart. */
export function Chart({ option, height, label }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<EChartsType | null>(null)
  const dark = isDark.value

  useEffect(() => {
    let gone = false
    const resized = new ResizeObserver(() => chart.current?.resize())
    import('./echarts.ts').then(({ init }) => {
      if (gone || !box.current) return
      chart.current = init(box.current)
      chart.current.setOption(option(readPalette()))
      resized.observe(box.current)
    })
    return () => {
      gone = true
      resized.disconnect()
      chart.current?.dispose()
      chart.current = null
    }
  }, [])
  useEffect(() => {
    // If the user has zoomed, new data does not move the chart.
    chart.current?.setOption(option(readPalette()), { replaceMerge: ['series'] })
  }, [option, dark])

  return <div ref={box} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />
}

/** The page's colours, for a canvas. */
export interface Palette {
  readonly font: string
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly surface: string
  readonly raised: string
  readonly accent: string
  readonly tone: Readonly<Record<Tone, string>>
}

/** A canvas does not understand CSS variables, so the browser resolves each of them. */
function readPalette(): Palette {
  const probe = document.createElement('span')
  document.body.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const palette = {
    font: getComputedStyle(document.body).fontFamily,
    text: read('text'),
    muted: read('muted'),
    line: read('line'),
    surface: read('surface'),
    raised: read('raised'),
    accent: read('accent'),
    tone: {
      good: read('chart-good'),
      bad: read('chart-bad'),
      warn: read('chart-warn'),
      info: read('chart-info'),
      busy: read('chart-busy'),
      quiet: read('chart-quiet'),
    },
  }
  probe.remove()
  return palette
}

/** A tooltip made of elements, so that text stays text and the style sheet applies. */
export function tooltip(
  title: string,
  rows: readonly (readonly [name: string, value: string])[],
): HTMLElement {
  const box = element('div', 'chart-tip')
  box.append(element('strong', '', title))
  for (const [name, value] of rows) {
    const row = element('div', 'chart-tip-row')
    row.append(element('span', '', name), element('b', '', value))
    box.append(row)
  }
  return box
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.textContent = text
  return made
}

/** Common settings of all tooltips, which switch off the library's own style. */
export const TOOLTIP = {
  className: 'chart-tooltip',
  backgroundColor: 'transparent',
  borderWidth: 0,
  padding: 0,
  confine: true,
  extraCssText: 'box-shadow:none',
  transitionDuration: 0,
}
