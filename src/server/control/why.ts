import type { Why } from '../../contract/control/why.ts'
import { PAYMENT_TRIGGERS, PAYOUT_TRIGGERS } from '../../contract/statuses.ts'
import type { Entry } from '../../domain/events.ts'
import type { Delivery, Payment } from '../../domain/model.ts'
import { routingTable } from '../../domain/routing.ts'
import { type ForeseenRule, foreseeRule, simplestMethod } from '../../domain/rules/consult.ts'
import { upcomingMoves } from '../../domain/upcoming-moves.ts'
import type { Surroundings } from '../../domain/why/answer.ts'
import { whyDelivery } from '../../domain/why/delivery.ts'
import { whyPayment } from '../../domain/why/payment.ts'
import { whyPayout } from '../../domain/why/payout.ts'
import { whyRequest } from '../../domain/why/request.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { notFound } from '../refusal.ts'
import { type ControlHandlers, type ControlSettings, param, runtimeNamed } from './control-call.ts'

/** Why a payment, a payout, a delivery or a request is as it is. */
export function whyCalls({ gateway, requests }: ControlSettings) {
  return {
    'GET /accounts/:account/why/:id': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
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

/** Why a payment, a payout or a delivery is as it is now. `entries` are those of the record. */
export function whyRecord(runtime: AccountRuntime, id: string, entries: readonly Entry[]): Why | undefined {
  const { account } = runtime
  const { world, now, clock } = account
  const payment = world.payments.get(id)
  const payout = world.payouts.get(id)
  const delivery = world.deliveries.get(id)
  const coming = upcomingMoves(world, now, id, delivery ? [id] : [])
  const surroundings = { account: account.id, now, clock: clock.mode, coming, entries }
  if (payment) return whyPaymentOf(runtime, payment, surroundings)
  if (delivery) return whyDeliveryOf(runtime, delivery, surroundings)
  if (!payout) return undefined
  const triggers = PAYOUT_TRIGGERS.filter(trigger =>
    account.wouldAccept({ type: 'MovePayout', payout: id, trigger }),
  )
  return whyPayout(payout, { ...surroundings, triggers })
}

function whyPaymentOf(runtime: AccountRuntime, payment: Payment, surroundings: Surroundings) {
  const { account } = runtime
  const { id } = payment.sortKey
  const table = routingTable(account.world, runtime)
  const isOpen = payment.route === null && payment.action !== null
  const { environment } = account
  const foreseen: ForeseenRule = isOpen
    ? foreseeRule(account.world, runtime.rules, payment, { environment, table })
    : { is: 'none' }
  return whyPayment(payment, {
    ...surroundings,
    foreseen,
    method: isOpen ? simplestMethod({ environment, table }, payment) : null,
    triggers: PAYMENT_TRIGGERS.filter(trigger =>
      account.wouldAccept({ type: 'MovePayment', payment: id, trigger }),
    ),
  })
}

function whyDeliveryOf(
  { account: { world } }: AccountRuntime,
  delivery: Delivery,
  surroundings: Surroundings,
) {
  const endpoint = world.endpoints.get(delivery.endpointId)
  return whyDelivery(delivery, {
    ...surroundings,
    eventType: world.events.get(delivery.eventId)?.type ?? null,
    endpoint: endpoint === undefined ? 'removed' : endpoint.disabled ? 'disabled' : 'there',
    held: world.heldDeliveries.get(delivery.endpointId) === delivery.id,
  })
}
