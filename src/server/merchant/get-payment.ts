import { notFound } from '../refusal.ts'
import { sendJson, tenantOf } from '../send-json.ts'
import { type Handler, idIn } from './handler.ts'

/** The poll target: a look-up and a text that is already there. */
export const getPayment: Handler = ({ request, reply, operation }) => {
  const tenant = tenantOf(request)
  const payment = tenant.account.world.payments.get(idIn(request))
  if (!payment) throw notFound('payment intent')
  const { status } = operation.success
  const send = () => sendJson(reply, status, tenant.rendering.payment(payment))
  return tenant.account.journal.durable(payment.seq)?.then(send) ?? send()
}
