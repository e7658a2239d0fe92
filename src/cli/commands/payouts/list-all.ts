import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  type Answer,
  CursorRepeatedError,
  type PayoutList,
  type PayoutsQuery,
} from '../../../client/index.ts'
import { DryRunError } from '../../call/dry-run.ts'
import type { Session } from '../../call/session.ts'
import { showHeaders } from '../../output/printer.ts'
import { payoutsView, payoutTotals } from '../../output/views/payouts.ts'

interface Options {
  readonly showHeaders: boolean
  /** The command that continues after a cursor, or from the start if there is none yet. */
  readonly continueWith: (cursor: string | undefined, remaining?: number) => string
  /** The total number; undefined for all. */
  readonly most: number | undefined
  /** Throws for a page that is not what was asked for. */
  readonly check: (answer: Answer<PayoutList>) => void
}

/** Writes one page, forgets it, and only then asks for the next one, so that memory does not grow. */
export async function listAll(
  { client, printer, signal }: Session,
  query: PayoutsQuery,
  { showHeaders: headersShown, continueWith, most, check }: Options,
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
      check(page.answer)
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
    if (next !== null)
      process.stderr.write(`There are more payouts than --limit. Continue with:\n  ${continueWith(next)}\n`)
  } catch (error) {
    if (error instanceof DryRunError) throw error
    counter.end()
    // A repeated cursor would lead nowhere the next time, too.
    if (!(error instanceof CursorRepeatedError))
      suggestContinuation(
        written,
        continueWith(next ?? undefined, most === undefined ? undefined : most - written),
      )
    throw error
  }
}

function suggestContinuation(written: number, command: string): void {
  const listed = written === 0 ? 'Nothing was listed' : `${written.toLocaleString('en')} payouts were listed`
  process.stderr.write(`${listed}. Continue with:\n  ${command}\n`)
}

/** A counter for a long listing. */
interface CountUp {
  /** Removes the counter while rows go to the same screen. */
  hide(): void
  show(count: number): void
  /** Removes the counter, and writes a last line if there is one. */
  end(last?: string): void
}

const EVERY_MS = 100
const CLEAR_LINE = '\r\x1b[K'

/** Counts on stderr, if that is a terminal. */
function countUp(noun: string): CountUp {
  if (!process.stderr.isTTY) return { hide() {}, show() {}, end() {} }
  const sharesScreen = process.stdout.isTTY === true
  let drawnAt = Number.NEGATIVE_INFINITY
  const clear = () => process.stderr.write(CLEAR_LINE)
  // A reader such as `head` may end the process at any moment.
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

/** Often enough to keep garbage small, and rarely enough to cost no time. */
const EVERY = 50

/**
 * For long work in equal steps that leave only garbage: call the result after each step, and memory does not grow. On its
 * own, V8 gives garbage more room the longer a process runs: 60 MB after ten thousand payouts, 101 MB after a million.
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
  // V8 applies a late flag only to new contexts.
  const gc: unknown = runInNewContext('globalThis.gc')
  return typeof gc === 'function' ? () => gc() : () => {}
}
