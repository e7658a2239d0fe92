import { CLEAR_LINE } from '../output/door.ts'

export interface ProgressBar {
  readonly update: (done: number, total: number) => void
  /** Removes the bar from the screen. */
  readonly clear: () => void
}

const CELLS = 24
const LEAST_COLUMNS = 50

/** A progress bar on stderr, if that is a terminal. `nameTotal` says of how much, in bytes if it is left out. */
export function progressBar(title: string, nameTotal: (total: number) => string = sizeOf): ProgressBar {
  const { isTTY, columns } = process.stderr
  if (!isTTY || !columns) return { update: () => {}, clear: () => {} }
  let shown = ''
  return {
    update: (done, total) => {
      const line = drawn(title, total === 0 ? 1 : Math.min(1, done / total), nameTotal(total), columns)
      // A terminal may be slower than the network: do not write the same line again.
      if (line === shown) return
      shown = line
      process.stderr.write(`${CLEAR_LINE}${line}`)
    },
    clear: () => {
      if (shown !== '') process.stderr.write(CLEAR_LINE)
      shown = ''
    },
  }
}

function drawn(title: string, share: number, total: string, columns: number): string {
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`
  if (columns < LEAST_COLUMNS) return percent
  const full = Math.floor(share * CELLS)
  return `${title} ${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${percent} of ${total}`
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.max(1, Math.round(bytes / 1024))} KiB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
