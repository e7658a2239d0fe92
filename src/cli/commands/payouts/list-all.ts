import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CursorRepeatedError, type PayoutsQuery } from '../../../client/index.ts'
import { DryRun } from '../../call/dry-run.ts'
import type { Session } from '../../call/session.ts'
import { showHeaders } from '../../output/printer.ts'
import { payoutsView, payoutTotals } from '../../output/views/payouts.ts'

interface Options {
  readonly showHeaders: boolean
  /** The command that goes on from a cursor, or from the start where there is none yet. */
  readonly goOn: (cursor: string | undefined, remaining?: number) => string
  /** How many in all; undefined for as many as there are. */
  readonly most: number | undefined
}

/** Page after page, none kept: written, let go of, and only then is the next one asked for. */
export async function listAll(
  { client, printer, signal }: Session,
  query: PayoutsQuery,
  { showHeaders: headersShown, goOn, most }: Options,
): Promise<void> {
  const list = printer.stream(payoutsView)
  const counter = countUp('payouts')
  const totals = payoutTotals()
  const tidy = steadyMemory()
  let next = query.cursor ?? null
  let written = 0
  try {
    for await (const page of client.payouts.pages(query, { signal, most })) {
      counter.hide()
      if (headersShown) showHeaders(page.answer)
      await list.page(page.answer.body)
      next = page.nextCursor
      written += page.payouts.length
      totals.add(page.payouts)
      counter.show(written)
      tidy()
    }
    await list.end()
    counter.end(totals.line())
    if (next !== null) process.stderr.write(`There are more, beyond --limit; the next are\n  ${goOn(next)}\n`)
  } catch (error) {
    if (error instanceof DryRun) throw error
    counter.end()
    // A cursor that was given twice leads nowhere, now or later.
    if (!(error instanceof CursorRepeatedError))
      tellHowToGoOn(written, goOn(next ?? undefined, most === undefined ? undefined : most - written))
    throw error
  }
}

function tellHowToGoOn(written: number, command: string): void {
  const so = written === 0 ? 'Nothing was listed' : `${written.toLocaleString('en')} payouts were listed`
  process.stderr.write(`${so}. To go on from there:\n  ${command}\n`)
}

/** How far a long listing has come, for whoever watches it. */
interface CountUp {
  /** Out of the way, where the rows themselves go to the same screen. */
  hide(): void
  show(count: number): void
  /** Makes room for the last word, if there is one. */
  end(last?: string): void
}

const EVERY_MS = 100
const CLEAR_LINE = '\r\x1b[K'

/** Counts on stderr where that is a terminal, and nowhere else. */
function countUp(noun: string): CountUp {
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

/** Often enough that garbage stays small beside the program, and rarely enough to take no time. */
const EVERY = 50

/**
 * For work that goes on and on in equal steps, each of which leaves only garbage: called after a step, it keeps memory
 * where it was after the first ones. V8 by itself gives garbage more and more room the longer a process works: after a
 * million payouts it held 101 MB, and after ten thousand 60.
 */
function steadyMemory(): () => void {
  let steps = 0
  let collect: (() => void) | undefined
  return () => {
    if (++steps % EVERY !== 0) return
    collect ??= collector()
    collect()
  }
}

function collector(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--expose-gc')
  // A flag that comes late shows in contexts that are made after it.
  const gc: unknown = runInNewContext('globalThis.gc')
  return typeof gc === 'function' ? () => gc() : () => {}
}
