import type { Violation } from '../../application/application-run.ts'
import type { Mismatch } from '../expect/match.ts'
import type { PlayedApplication } from './played-application.ts'
import type { Stage } from './stage.ts'

/**
 * Reports what no correct application does. In a run without disturbances, only an exit counts, because a disturbance
 * cannot have caused anything else.
 */
export async function concludeApplication(stage: Stage, played: PlayedApplication): Promise<Mismatch[]> {
  const { run, known } = played
  run.recordExit()
  if (run.mayHavePaidTwice) run.violations.push(...(await secondPayments(stage)))
  const blamed = run.isDisturbed
    ? run.violations.filter(({ sameAs }) => !known.includes(sameAs))
    : run.violations.filter(({ what }) => what === 'ended')
  return blamed.map(({ what, message }) => ({
    path: [],
    subject: 'application',
    expected: EXPECTED[what],
    actual: what,
    why: message,
  }))
}

/** Looks again at everything that the steps expected: what still holds is the application's final state. */
export async function lookAgain(played: PlayedApplication): Promise<void> {
  for (const look of played.looks) look.stillHolds = (await played.mismatchesOf(look.step)).length === 0
}

const EXPECTED: Readonly<Record<Violation['what'], string>> = {
  ended: 'a running application',
  'error answer': 'an answer below 500',
  'forgery believed': 'no change of state',
  'second payment': 'one payment',
}

/** More payments for one merchant_reference than in the plain run mean that a customer pays twice. */
async function secondPayments({ simulated, run }: Stage): Promise<Violation[]> {
  const payments = await simulated.control.payments.list()
  const counts = new Map<string, number>()
  for (const { merchant_reference: reference } of payments)
    if (reference !== null) counts.set(reference, (counts.get(reference) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([reference, count]) => ({
      what: 'second payment' as const,
      message: `it made ${count} payments with the merchant_reference ${reference}`,
      sameAs: `${count} payments ${reference.replaceAll(run, '${run}')}`,
    }))
}
