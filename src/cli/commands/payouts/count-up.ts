/** How far a long listing has come, for whoever watches it. */
export interface CountUp {
  /** Out of the way, where the rows themselves go to the same screen. */
  hide(): void
  show(count: number): void
  /** Makes room for the last word, if there is one. */
  end(last?: string): void
}

const EVERY_MS = 100
const CLEAR_LINE = '\r\x1b[K'

/** Counts on stderr where that is a terminal, and nowhere else. */
export function countUp(noun: string): CountUp {
  if (!process.stderr.isTTY) return { hide() {}, show() {}, end() {} }
  const sharesScreen = process.stdout.isTTY === true
  let drawnAt = Number.NEGATIVE_INFINITY
  const clear = () => process.stderr.write(CLEAR_LINE)
  // A reader that has seen enough, as `head`, ends the process at once.
  process.once('exit', clear)
  return {
    hide() {
      if (sharesScreen) clear()
    },
    show(count) {
      const now = performance.now()
      if (!sharesScreen && now - drawnAt < EVERY_MS) return
      drawnAt = now
      process.stderr.write(`${CLEAR_LINE}${count.toLocaleString('en')} ${noun} …`)
    },
    end(last) {
      process.off('exit', clear)
      process.stderr.write(`${CLEAR_LINE}${last === undefined ? '' : `${last}\n`}`)
    },
  }
}
