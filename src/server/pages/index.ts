import { renderError } from '../../contract/error-body.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { Reply } from '../http/reply.ts'
import { Routes } from '../http/routes.ts'
import type { Surface } from '../http/surface.ts'
import { Refusal, refuse } from '../refusal.ts'
import { STYLE, sendPage } from './layout.ts'
import { type Opened, open } from './opening.ts'
import { act } from './payer-acts.ts'
import { paymentPage } from './payment-page.ts'
import { readFields } from './read-fields.ts'

/** The pages that a payer sees. They need no credentials: the signed address is what opens them. */
export function payerPages({ gateway }: { gateway: Gateway }): Surface {
  const routes = new Routes()
  routes.get('/checkout/style.css', (_, reply) =>
    reply.header('content-type', 'text/css; charset=utf-8').send(STYLE),
  )

  for (const kind of ['checkout', 'bank'] as const) {
    const url = `/${kind}/:account/:payment`
    routes.get(url, (request, reply) => {
      const opened = open(gateway, kind, request, reply)
      return 'payment' in opened ? show(reply, 200, opened) : opened
    })
    routes.post(url, async (request, reply) => {
      const form = await readFields(request.raw)
      const opened = open(gateway, kind, request, reply)
      if (!('payment' in opened)) return opened
      try {
        await act(opened, form)
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault
        const { status } = renderError(gateway.contract, fault.rejection, request.requestId)
        return show(reply, status, opened, fault.rejection.message)
      }
      // Back to the page by GET: reloading it then sends nothing again.
      return reply.code(303).header('location', opened.path).send()
    })
  }

  routes.get('/qr/:account/:payment', (request, reply) => {
    const opened = open(gateway, 'qr', request, reply)
    if (!('payment' in opened)) return opened
    const { instrument } = opened.payment
    if (instrument?.type !== 'display_qr_code') return show(reply, 404, opened)
    return reply.header('content-type', 'image/png').send(opened.tenant.rendering.qrImage(instrument.qrData))
  })

  return { routes, enter() {}, missing: () => refuse('not_found', 'No such page') }
}

function show(reply: Reply, status: number, { tenant, payment, path }: Opened, fault?: string): Reply {
  const { title, body } = paymentPage({ tenant, payment, path, ...(fault === undefined ? {} : { fault }) })
  return sendPage(reply, status, title, body)
}
