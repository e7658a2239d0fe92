export type TerminalStatus = 'succeeded' | 'failed' | 'expired'

/**
 * What the provider will do with one intent. It is decided when the route is frozen, and stored with the intent.
 */
export interface PaymentScript {
  /** The name of its rule; null if none matched. */
  readonly rule: string | null
  readonly action: { readonly afterMs: number | null; readonly expiresAfterMs: number | null }
  /** One for each submission; the last repeats. */
  readonly receipt: readonly ReceiptVerdict[]
  readonly cancel: { readonly afterMs: number; readonly outcome: CancelOutcome }
  readonly outcome: 'manual' | ScriptedOutcome
  readonly expiryMs: number | null
}

export interface ReceiptVerdict {
  readonly afterMs: number
  readonly verdict: 'accept' | 'reject' | 'manual'
  readonly message: string | null
}

export type CancelOutcome = 'cancelled' | TerminalStatus | 'never'

export interface ScriptedOutcome {
  readonly afterMs: number
  readonly status: TerminalStatus
  readonly code: string | null
  readonly message: string | null
}

export interface PayoutScript {
  readonly rule: string | null
  readonly approval: 'manual' | { readonly afterMs: number }
  readonly outcome: 'manual' | (ScriptedOutcome & { readonly status: 'succeeded' | 'failed' })
}

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
