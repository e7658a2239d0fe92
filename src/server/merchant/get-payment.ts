import { notFound } from '../refusal.ts'
import { runtimeOf, sendJson } from '../send-json.ts'
import { type Handler, idIn } from './handler.ts'

/** Fast, because clients poll it: a look-up and a cached text. */
export const getPayment: Handler = ({ request, reply, operation }) => {
  const runtime = runtimeOf(request)
  const payment = runtime.account.world.payments.get(idIn(request))
  if (!payment) throw notFound('payment intent')
  const { status } = operation.success
  const send = () => sendJson(reply, status, runtime.rendering.payment(payment))
  return runtime.account.journal.durable(payment.seq)?.then(send) ?? send()
}
