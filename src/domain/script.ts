import type { PaymentScript, PayoutScript } from './events.ts'

export type { PaymentScript, PayoutScript }

export type ReceiptVerdict = PaymentScript['receipt'][number]
export type ScriptedOutcome = Exclude<PaymentScript['outcome'], 'manual'>
export type TerminalStatus = ScriptedOutcome['status']

/** Without a matching rule: receipts and cancellations take five seconds, the payment waits for its payer. */
export const UNSCRIPTED_PAYMENT: PaymentScript = {
  rule: null,
  action: { afterMs: null, expiresAfterMs: null },
  receipt: [{ afterMs: 5000, verdict: 'accept', message: null }],
  cancel: { afterMs: 5000, outcome: 'cancelled' },
  outcome: 'manual',
  expiryMs: null,
}

export const UNSCRIPTED_PAYOUT: PayoutScript = { rule: null, approval: 'manual', outcome: 'manual' }

export function verdictFor(script: PaymentScript, submission: number): ReceiptVerdict | undefined {
  return script.receipt[Math.min(submission, script.receipt.length) - 1]
}

/** The trigger that leads to a final status. */
export const TRIGGERS = { succeeded: 'succeed', failed: 'fail', expired: 'expire' } as const

/** How an outcome comes about: its trigger, and the code and the message of a failure, as far as the script gives them. */
export function moveTo<S extends TerminalStatus>({ status, code, message }: ScriptedOutcome & { status: S }) {
  const failure = { ...(code === null ? {} : { code }), ...(message === null ? {} : { message }) }
  return { trigger: TRIGGERS[status], failure }
}
