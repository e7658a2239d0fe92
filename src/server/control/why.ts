import { whyRequest } from '../../domain/why/request.ts'
import { whyRecord } from '../../engine/account/why-record.ts'
import { notFound } from '../refusal.ts'
import { type ControlHandlers, type ControlSettings, param } from './control-call.ts'

/** Why a payment, a payout, a delivery or a request is as it is. */
export function whyCalls({ requests }: ControlSettings) {
  return {
    'GET /accounts/:account/why/:id': async ({ runtime, request, answer }) => {
      const id = param(request, 'id')
      const { account } = runtime
      const { world } = account
      const isRecord = world.payments.has(id) || world.payouts.has(id) || world.deliveries.has(id)
      if (!isRecord) {
        const asked = requests.answered(runtime, id)
        if (asked) return answer(200, whyRequest(asked, account.id))
        throw notFound('payment, payout, delivery or recent request')
      }
      const why = whyRecord(runtime, id, await account.journal.history(id))
      if (why) return answer(200, why)
      throw notFound('payment, payout, delivery or recent request')
    },
  } satisfies Partial<ControlHandlers>
}
