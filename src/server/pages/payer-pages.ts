import { renderError } from '../../contract/error-body.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { Carrier } from '../http/carrier.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { unreadable } from '../payer.ts'
import { isMultipart, readBody } from '../read-body.ts'
import { type Form, readForm } from '../read-image.ts'
import { RefusalError } from '../refusal.ts'
import { liveState } from './live.ts'
import { noticePage } from './notice.ts'
import { type Opened, open } from './opening.ts'
import { act, isAlreadyDone } from './payer-acts.ts'
import { showPayment } from './payment-page.ts'
import type { Problem } from './problem.ts'

export { follow } from './live.ts'

/** The page of an expired link still follows the payment, which may still succeed. */
async function openPage(
  gateway: Gateway,
  kind: 'checkout' | 'bank' | 'qr',
  request: Request,
  reply: Reply,
): Promise<Opened | Reply> {
  const opened = await open(gateway, kind, request, reply)
  if (!('payment' in opened) || !opened.isOver(opened.payment)) return opened
  const { words, path, payment } = opened
  return noticePage(reply, 410, words, path, 'ended', { payment, live: liveState(opened) })
}

export async function show(gateway: Gateway, kind: 'checkout' | 'bank', request: Request, reply: Reply) {
  const opened = await openPage(gateway, kind, request, reply)
  return 'payment' in opened ? showPayment(reply, 200, opened) : opened
}

export async function showQr(gateway: Gateway, request: Request, reply: Reply) {
  const opened = await openPage(gateway, 'qr', request, reply)
  if (!('payment' in opened)) return opened
  const { instrument } = opened.payment
  if (instrument?.type !== 'display_qr_code')
    return noticePage(reply, 404, opened.words, opened.path, 'unknown')
  return reply.header('content-type', 'image/png').send(opened.runtime.rendering.qrImage(instrument.qrData))
}

/**
 * Handles a form. If it is accepted, the browser is redirected to the page, so that a reload sends nothing twice.
 */
export async function receive(
  gateway: Gateway,
  kind: 'checkout' | 'bank',
  request: Request,
  reply: Reply,
): Promise<Reply> {
  const form = await readFields(request.carrier).catch(unreadable)
  const opened = await openPage(gateway, kind, request, reply)
  if (!('payment' in opened)) return opened
  try {
    if (form instanceof RefusalError) throw form
    await act(opened, form)
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    // A form that was sent twice, or from two pages, is not an error.
    if (!(form instanceof RefusalError) && isAlreadyDone(asItStands(opened).payment, form))
      return redirectToNext(reply, asItStands(opened))
    const { status } = renderError(gateway.contract, error.rejection, request.requestId)
    const fields: Form['fields'] = form instanceof RefusalError ? new Map() : form.fields
    return showPayment(reply, status, { ...asItStands(opened), problem: { refusal: error, fields } })
  }
  return redirectToNext(reply, asItStands(opened))
}

const redirectToNext = (reply: Reply, opened: Opened) =>
  reply.code(303).header('location', nextLocation(opened)).send()

const asItStands = (opened: Opened): Opened & { problem?: Problem } => ({
  ...opened,
  payment: opened.runtime.account.world.payments.get(opened.payment.sortKey.id) ?? opened.payment,
})

/** After a decision, the bank sends its customer back. */
function nextLocation({ kind, payment, path, pathTo, expiresAt }: Opened): string {
  const isBack = kind === 'bank' && payment.checkoutMode === 'hosted' && payment.outcome !== null
  return isBack ? pathTo('checkout', expiresAt) : path
}

/** The fields of a submitted form, in either of the encodings of browsers. */
async function readFields(carrier: Carrier): Promise<Form> {
  if (isMultipart(carrier.headers['content-type'])) return readForm(carrier)
  const text = (await readBody(carrier)).toString()
  return { files: [], fields: new Map(new URLSearchParams(text)) }
}
