import type { Payment } from '../../domain/model.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'
import { isGenuine, type PageKind, pagePath } from '../../engine/page-address.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { noticePage } from './notice.ts'
import { keepLanguage, type Words, wordsFor } from './words/language.ts'

/** A page that was opened with a valid address. */
export interface Opened {
  readonly kind: PageKind
  readonly runtime: AccountRuntime
  readonly payment: Payment
  readonly words: Words
  /** The address of this page. */
  readonly path: string
  readonly expiresAt: number | null
  /** The address of another page of this payment, in the same language. */
  readonly pathTo: (kind: PageKind, expiresAt: number | null) => string
  /** Whether the link has expired. */
  readonly isOver: (payment: Payment) => boolean
  /** The address of the update stream. */
  readonly livePath: string
}

/** Opens a page by its signed address. A changed address and an unknown payment have different pages. */
export async function open(
  gateway: Gateway,
  kind: PageKind,
  request: Request,
  reply: Reply,
): Promise<Opened | Reply> {
  const { account: name, payment: id } = request.params as { account: string; payment: string }
  const { expires, signature } = request.query as { expires?: unknown; signature?: unknown }
  const words = wordsFor(request)
  const notice = (status: number, about: 'forged' | 'unknown') =>
    noticePage(reply, status, words, request.url, about)

  const runtime = await gateway.account(name)?.open()
  if (!runtime) return notice(404, 'unknown')
  request.runtime = runtime
  const { account } = runtime
  const expiresAt = typeof expires === 'string' && /^[1-9]\d{0,14}$/.test(expires) ? Number(expires) : null
  if (typeof signature !== 'string' || !isGenuine(account, kind, id, expiresAt, signature))
    return notice(403, 'forged')
  await account.catchUp()
  const payment = account.world.payments.get(id)
  if (!payment) return notice(404, 'unknown')
  // The end of a payment stays visible forever, and an action that was extended still needs its page.
  const isOver = ({ outcome, action }: Payment) =>
    expiresAt !== null && account.now >= expiresAt && outcome === null && action === null
  return {
    kind,
    runtime,
    payment,
    words,
    path: request.url,
    expiresAt,
    isOver,
    pathTo: (other, until) => keepLanguage(pagePath(account, other, id, until), request),
    livePath: pagePath(account, kind, id, expiresAt).replace('?', '/live?'),
  }
}
