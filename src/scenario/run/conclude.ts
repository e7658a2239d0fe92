import type { Violation } from '../../application/application-run.ts'
import type { Mismatch } from '../expect/match.ts'
import { type PlayedApplication, totalOf } from './played-application.ts'
import type { Stage } from './stage.ts'

/**
 * Reports what no correct application does. In a run without disturbances, only an exit counts, because a disturbance
 * cannot have caused anything else.
 */
export async function concludeApplication(stage: Stage, played: PlayedApplication): Promise<Mismatch[]> {
  const { run, known } = played
  run.recordExit()
  if (!played.isOver) await played.countPayments(stage)
  run.violations.push(...secondPayments(played, stage.run))
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

/** Checks again everything that the steps expected. What still holds describes the application's final state. */
export async function lookAgain(played: PlayedApplication): Promise<void> {
  for (const look of played.looks) look.stillHolds = (await played.mismatchesOf(look.step)).length === 0
}

const EXPECTED: Readonly<Record<Violation['what'], string>> = {
  ended: 'a running application',
  'error answer': 'an answer below 500',
  'forgery believed': 'no change of state',
  'second payment': 'one payment',
}

/** More payments than in the plain run mean that a customer pays twice, even if each has its own merchant_reference. */
function secondPayments(
  { payments = new Map(), usualPayments }: PlayedApplication,
  run: string,
): Violation[] {
  const repeated = [...payments].filter(([reference, count]) => reference !== '' && count > 1)
  const total = totalOf(payments)
  const more = usualPayments !== undefined && total > usualPayments
  return [
    ...repeated.map(([reference, count]) => ({
      what: 'second payment' as const,
      message: `it made ${count} payments with the merchant_reference ${reference}`,
      sameAs: `${count} payments ${reference.replaceAll(run, '${run}')}`,
    })),
    ...(more && repeated.length === 0
      ? [
          {
            what: 'second payment' as const,
            message: `it made ${total} payments, and ${usualPayments} without the disturbance`,
            sameAs: 'more payments',
          },
        ]
      : []),
  ]
}
