import type { IncomingWebhook } from '../../library/webhook-receiver.ts'
import type { ReceivedEvent, WebhookAnswer } from '../../library/webhooks.ts'
import { type DeliveryPrinter, deliveryOf } from './deliveries.ts'
import { forward } from './forward.ts'

interface InboxOptions {
  readonly printer: DeliveryPrinter
  readonly forwardTo: URL | undefined
  /** How many webhooks to take before `onFull` is called. */
  readonly count: number | undefined
  readonly onFull: () => void
  /** Aborted when nothing more is to be taken. */
  readonly signal: AbortSignal
}

/** Takes webhooks one by one: shows the webhook, forwards it, answers. */
export class Inbox {
  #started = 0
  #warnedOfRefusal = false
  /** How many webhooks were answered. */
  taken = 0

  constructor(private readonly options: InboxOptions) {}

  async take(event: ReceivedEvent, incoming: IncomingWebhook): Promise<WebhookAnswer> {
    const { printer, forwardTo, count = Number.POSITIVE_INFINITY, onFull, signal } = this.options
    // With 503, the simulator tries again later: another `listen` may take it then.
    if (signal.aborted || this.#started >= count) return { status: 503 }
    this.#started += 1
    const receivedAt = new Date()
    await printer.arrived(event, receivedAt)
    const passed = forwardTo && (await forward(incoming, forwardTo, signal))
    const answer = passed?.answer ?? { status: 200 }
    const { status: answered = 200 } = answer
    const forwarded = passed?.forwarded ?? null
    await printer.answered(deliveryOf(event, { received_at: receivedAt.toISOString(), forwarded, answered }))
    if (answered === 410)
      process.stderr.write(
        'paysim: answered 410 Gone: the simulator sends no more webhooks to this endpoint\n',
      )
    if (event.problem === null && passed) this.#warnOfRefusal(answered)
    this.taken += 1
    if (this.taken >= count) onFull()
    return answer
  }

  /** A refused webhook makes people look at its signature first: say once that the signature is valid. */
  #warnOfRefusal(status: number): void {
    if (this.#warnedOfRefusal || status < 400 || status > 499 || status === 410) return
    this.#warnedOfRefusal = true
    process.stderr.write(
      `paysim: your application answered ${status}, but the signature was valid. If it rejected the signature, check that it uses this secret (--print-secret) and verifies the body byte for byte\n`,
    )
  }
}
