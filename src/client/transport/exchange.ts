import type { Dispatcher } from 'undici'
import { flatHeaders, type WireAnswer } from '../../contract/wire-answer.ts'
import { LONGEST_ANSWER_BYTES } from './transport.ts'

type Controller = Dispatcher.DispatchController
type Headers = Readonly<Record<string, string | string[] | undefined>>

/** One request and its answer through undici's dispatcher, which is faster to load than its `request`. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answered: Promise<WireAnswer>
  /** Whether undici started to write. Before that, nothing can have reached the server. */
  sent = false
  #settle: PromiseWithResolvers
  #controller: Controller | undefined
  #abortedWith: { reason: unknown } | undefined
  #status = 0
  #headers: Headers = {}
  #chunks: Buffer[] = []
  #length = 0
  #untilEnd: NodeJS.Timeout | undefined

  constructor(private readonly timeoutMs: number) {
    this.#settle = withResolvers()
    this.answered = this.#settle.promise
  }

  abort(reason: unknown): void {
    clearTimeout(this.#untilEnd)
    this.#abortedWith = { reason }
    this.#settle.reject(reason)
    this.#controller?.abort(asError(reason))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#abortedWith) controller.abort(asError(this.#abortedWith.reason))
    else this.sent = true
  }

  onResponseStart(_: Controller, status: number, headers: Headers): void {
    this.#status = status
    this.#headers = headers
    // A limit for the whole body: an answer that drips forever never triggers a limit between chunks.
    this.#untilEnd ??= setTimeout(() => this.abort(coded('BODY_TIMEOUT')), this.timeoutMs)
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    this.#length += chunk.length
    if (this.#length > LONGEST_ANSWER_BYTES) this.abort(coded('BODY_TOO_LONG'))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    clearTimeout(this.#untilEnd)
    this.#settle.resolve({
      status: this.#status,
      headers: flatHeaders(this.#headers),
      text: Buffer.concat(this.#chunks).toString('utf8'),
    })
  }

  onResponseError(_: Controller, cause: Error): void {
    clearTimeout(this.#untilEnd)
    this.#settle.reject(cause)
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<WireAnswer>
  readonly resolve: (answer: WireAnswer) => void
  readonly reject: (reason: unknown) => void
}

function withResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers['resolve'] = () => {}
  let reject: PromiseWithResolvers['reject'] = () => {}
  const promise = new Promise<WireAnswer>((fulfil, fail) => {
    resolve = fulfil
    reject = fail
  })
  return { promise, resolve, reject }
}

const coded = (code: string) => Object.assign(new Error(code), { code })

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))
