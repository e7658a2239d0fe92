import type { Gateway } from '../../engine/gateway.ts'
import { MovedError, UnavailableError } from '../../engine/store/store-errors.ts'
import { NotCarriedOutError } from '../carry-out.ts'
import { canBeReadAgain } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Surface, SurfaceName } from '../http/surface.ts'
import { storeRefusal } from '../refusal.ts'
import { Caller, type Forwarder, TAKEOVER_MS } from './forwarder.ts'
import { declineCall, forwardedSurface } from './forwarding-headers.ts'

/** A call to one of several processes that serve one store. It is answered by the process that holds its account. */
export class ClusterCall {
  /** The surface to which another process forwarded it. Undefined if it comes from its client. */
  readonly forwardedTo: SurfaceName | undefined
  /** The account that this process keeps until the call is answered. */
  #account: string | undefined

  constructor(
    private readonly forwarder: Forwarder,
    private readonly gateway: Pick<Gateway, 'refresh'>,
    private readonly request: Request,
    private readonly reply: Reply,
  ) {
    this.forwardedTo = forwardedSurface(request.exchange, forwarder.holders.secret)
    request.isForwarded = this.forwardedTo !== undefined
  }

  /** Whether this process answers it. If not, it was answered by another process, or declined. */
  async isForThisProcess(surface: Surface): Promise<boolean> {
    const { forwarder, request, reply } = this
    let account = surface.accountOf(request)
    if (account === null) {
      await this.#refreshMerchants()
      account = surface.accountOf(request)
    }
    if (!account || this.#keep(account)) return true
    const caller = new Caller(request.exchange)
    try {
      do {
        // A call is never forwarded twice: the process that forwarded it asks the store again.
        const holder = await forwarder.find(account, caller, request.isForwarded)
        if (holder === undefined) continue
        if (request.isForwarded) {
          this.decline()
          return false
        }
        const repeatable = surface.isRepeatable(request)
        await forwarder.forward(
          { request, reply, account, surface: surface.name, repeatable },
          holder,
          caller,
        )
        return false
      } while (!this.#keep(account))
    } finally {
      caller.unwatch()
    }
    // Its previous holder may have changed its keys, or removed it.
    await this.#refreshMerchants()
    return true
  }

  decline(): void {
    declineCall(this.reply)
  }

  /** Whether this process may answer for the account. If so, the account stays here until the call is over. */
  #keep(account: string): boolean {
    if (!this.forwarder.holders.beginCall(account, this.request)) return false
    this.#account = account
    return true
  }

  /** Learns what other processes have changed in the list of merchants. */
  async #refreshMerchants(): Promise<void> {
    try {
      await this.gateway.refresh()
    } catch (cause) {
      throw storeRefusal(cause, 'nothing was changed')
    }
  }

  /** Whether another process took the account while this call waited, so that the state here may be old. */
  get hasMoved(): boolean {
    return this.#account !== undefined && !this.forwarder.holders.mayAnswer(this.#account)
  }

  /** Whether the account has another holder now, who can answer the call, because nothing was changed here for it. */
  isForAnother(error: unknown, isBegun: boolean): boolean {
    const { isSafe, startedAt, exchange } = this.request
    if (this.#account === undefined || !(error instanceof UnavailableError)) return false
    if (!(error instanceof MovedError) && !this.hasMoved) return false
    if (!canBeReadAgain(exchange) || performance.now() - startedAt > TAKEOVER_MS) return false
    return isSafe || !isBegun || error instanceof NotCarriedOutError
  }

  /** The account may leave when the answer has. */
  answered(): void {
    if (this.#account === undefined || this.reply.isOver) this.release()
    else this.reply.raw.once('close', () => this.release())
  }

  release(): void {
    if (this.#account !== undefined) this.forwarder.holders.endCall(this.#account, this.request)
    this.#account = undefined
  }
}
