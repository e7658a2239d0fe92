import type { Payment } from '../../domain/model.ts'
import type { Gateway } from '../../engine/gateway.ts'
import { isGenuine, type PageKind } from '../../engine/page-address.ts'
import type { Tenant } from '../../engine/tenant.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'

/** A page that its address opened. */
export interface Opened {
  readonly tenant: Tenant
  readonly payment: Payment
  /** The address, to come back to. */
  readonly path: string
}

/** Opens by the signed address alone. A changed byte, an ended link and an unknown one each say what they are. */
export function open(gateway: Gateway, kind: PageKind, request: Request, reply: Reply): Opened | Reply {
  const { account: name, payment: id } = request.params as { account: string; payment: string }
  const { expires, signature } = request.query as { expires?: unknown; signature?: unknown }
  const tenant = gateway.tenant(name)
  if (!tenant) return unknown(reply)
  request.tenant = tenant
  const { account } = tenant
  const expiresAt = typeof expires === 'string' && /^[1-9]\d{0,14}$/.test(expires) ? Number(expires) : null
  if (typeof signature !== 'string' || !isGenuine(account, kind, id, expiresAt, signature))
    return forged(reply)
  const payment = account.world.payments.get(id)
  if (!payment) return unknown(reply)
  if (expiresAt !== null && account.now >= expiresAt) return ended(reply)
  return { tenant, payment, path: request.url }
}

const forged = (reply: Reply) =>
  sendPage(
    reply,
    403,
    'This link is not valid',
    html`<p>The address was changed on its way. Please use the link as the shop gave it.</p>`,
  )
const ended = (reply: Reply) =>
  sendPage(
    reply,
    410,
    'This link has expired',
    html`<p>Please go back to the shop and start the payment again.</p>`,
  )
const unknown = (reply: Reply) =>
  sendPage(reply, 404, 'No such payment', html`<p>There is no payment behind this link.</p>`)
