import type { EChartsType } from 'echarts/core'
import { useEffect, useRef } from 'preact/hooks'
import { isDark } from '../state/theme.ts'
import type { Option } from './echarts.ts'
import { type Palette, readPalette } from './palette.ts'

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
