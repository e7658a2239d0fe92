import type { Misdeed } from '../../application/application-run.ts'
import type { Mismatch } from '../expect/match.ts'
import type { PlayedApplication } from './played-application.ts'
import type { Stage } from './stage.ts'

/**
 * What the application did that none should do. In a story without disturbances it is blamed only for having ended:
 * whatever else it does is how it is.
 */
export async function concludeApplication(stage: Stage, played: PlayedApplication): Promise<Mismatch[]> {
  const { run, known } = played
  run.noteEnd()
  run.misdeeds.push(...(await secondPayments(stage)))
  for (const look of played.looks) look.isStillSo = (await played.mismatchesOf(look.step)).length === 0
  const blamed = run.isDisturbed
    ? run.misdeeds.filter(({ sameAs }) => !known.includes(sameAs))
    : run.misdeeds.filter(({ what }) => what === 'ended')
  return blamed.map(({ what, message }) => ({
    path: [],
    subject: 'application',
    expected: EXPECTED[what],
    actual: what,
    why: message,
  }))
}

const EXPECTED: Readonly<Record<Misdeed['what'], string>> = {
  ended: 'an application that goes on',
  'error answer': 'an answer below 500',
  'forgery believed': 'a state that no forgery changes',
  'second payment': 'one payment',
}

/** Several payments with one merchant_reference: where the plain run has no more of them, a customer pays twice. */
async function secondPayments({ simulated, run }: Stage): Promise<Misdeed[]> {
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
