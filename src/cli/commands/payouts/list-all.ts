import { CursorRepeatedError, type PayoutsQuery } from '../../../client/index.ts'
import { DryRun } from '../../call/dry-run.ts'
import type { Session } from '../../call/session.ts'
import { payoutsView, payoutTotals } from '../../output/views/payouts.ts'
import { countUp } from './count-up.ts'
import { steadyMemory } from './steady-memory.ts'

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
  { showHeaders, goOn, most }: Options,
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
      if (showHeaders) (await import('../../output/headers.ts')).showHeaders(page.answer)
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
