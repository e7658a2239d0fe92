import type { Tone } from '../format/words.ts'

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
export function readPalette(): Palette {
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
