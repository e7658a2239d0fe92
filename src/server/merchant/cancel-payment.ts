import { readOptionalJson } from '../read-body.ts'
import { demandNoProblems, notFound } from '../refusal.ts'
import { runtimeOf } from '../send-json.ts'
import { answerPayment } from './answer.ts'
import { unknownMembers } from './body-members.ts'
import { type Handler, idIn } from './handler.ts'
import { idempotency, readKey } from './idempotency-key.ts'

export const cancelPayment: Handler = async call => {
  const { request, contract } = call
  const payment = idIn(request)
  const body = await readOptionalJson(request.carrier, { bare: false })
  if (!runtimeOf(request).account.world.payments.has(payment)) throw notFound('payment intent')
  const { key, problems } = readKey(request, { required: false })
  demandNoProblems([...problems, ...unknownMembers(contract, request, body, undefined)])
  // No body is required, so it is not part of the key's fingerprint.
  return answerPayment(call, {
    type: 'RequestCancel',
    payment,
    idempotency: idempotency(request, key, () => 'cancel'),
  })
}
