import type { EChartsType } from 'echarts/core'
import { useEffect, useRef } from 'preact/hooks'
import { isDark } from '../state/theme.ts'
import type { Option } from './echarts.ts'
import { type Palette, readPalette } from './palette.ts'

interface ChartProps {
  /** Drawn in the colours of the theme that is on. */
  readonly option: (palette: Palette) => Option
  readonly height: number
  /** What it shows, in words. */
  readonly label: string
}

/** The one place where the chart library meets the page. It is loaded when the first chart is to be drawn. */
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
    // Zoomed by hand, it stays where it is as more comes in.
    chart.current?.setOption(option(readPalette()), { replaceMerge: ['series'] })
  }, [option, dark])

  return <div ref={box} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />
}
