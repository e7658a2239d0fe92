import { isCountry } from '../../contract/countries.ts'
import type { FieldFault } from '../../contract/errors.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import type { Command } from '../../domain/commands.ts'
import type { Tenant } from '../../engine/tenant.ts'
import { carryOut } from '../carry-out.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'
import { demandNoFaults, notFound } from '../refusal.ts'
import { bodyReader, param, send, tenantNamed } from './control-call.ts'
import { pageOf } from './paging.ts'
import { PayoutBody, PayoutCancelBody, TriggerBody } from './schemas.ts'
import type { ControlSettings } from './settings.ts'
import { fullPayout } from './views.ts'

const readPayout = bodyReader<PayoutBody>(PayoutBody)
const readCancel = bodyReader<PayoutCancelBody>(PayoutCancelBody, { optional: true })
const readTrigger = bodyReader<TriggerBody>(TriggerBody, { optional: true })

/** What the merchant API does not show: making payouts, and what becomes of them. */
export function payoutCalls(scope: Routes, { gateway }: ControlSettings): void {
  scope.get('/accounts/:account/payouts', (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    return send(
      reply,
      200,
      pageOf(request, tenant.account.world.payoutList, id => viewOf(tenant, id)),
    )
  })

  scope.get('/accounts/:account/payouts/:id', (request, reply) => {
    const view = viewOf(tenantNamed(gateway, request), param(request, 'id'))
    if (!view) throw notFound('payout intent')
    return send(reply, 200, view)
  })

  scope.post('/accounts/:account/payouts', async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    const body = await readPayout(request)
    demandNoFaults(payoutFaults(body))
    const id = await carryOut(tenant, { type: 'CreatePayout', payout: newPayout(body) }, 'operator')
    return send(reply, 201, viewOf(tenant, id))
  })

  for (const trigger of ['approve', 'succeed', 'fail'] as const) {
    scope.post(`/accounts/:account/payouts/:id/${trigger}`, async (request, reply) => {
      const { failure_code: code, failure_message: message } = await readTrigger(request)
      const failure = {
        ...(code === undefined ? {} : { code }),
        ...(message === undefined ? {} : { message }),
      }
      return move(request, reply, { trigger, failure })
    })
  }

  scope.post('/accounts/:account/payouts/:id/cancel', async (request, reply) => {
    const { reason } = await readCancel(request)
    return move(request, reply, { trigger: 'cancel', ...(reason === undefined ? {} : { reason }) })
  })

  type Move = Omit<Extract<Command, { type: 'MovePayout' }>, 'type' | 'payout'>
  const move = async (request: Request, reply: Reply, how: Move) => {
    const tenant = tenantNamed(gateway, request)
    const payout = param(request, 'id')
    const id = await carryOut(tenant, { type: 'MovePayout', payout, ...how }, 'operator')
    return send(reply, 200, viewOf(tenant, id))
  }
}

function viewOf(tenant: Tenant, id: string) {
  const payout = tenant.account.world.payouts.get(id)
  return payout && fullPayout(payout, tenant)
}

/** What no schema says. */
function payoutFaults({ country, recipient }: PayoutBody): FieldFault[] {
  const faults: FieldFault[] = []
  if (!isCountry(country))
    faults.push({ field: 'country', message: `is not an assigned ISO 3166-1 code: ${country}` })
  // Its last four digits are shown.
  if (recipient.account_number.replace(/\D/g, '').length < 4)
    faults.push({ field: 'recipient.account_number', message: 'must have at least four digits' })
  return faults
}

function newPayout(body: PayoutBody) {
  const { bank_code: bankCode, holder_name: holderName, account_number: accountNumber } = body.recipient
  return {
    amount: body.amount,
    currency: body.currency,
    country: body.country,
    merchantReference: body.merchant_reference,
    recipient: { bankCode, holderName, accountNumber },
    status: body.status ?? 'requires_approval',
    createdAt: body.created_at === undefined ? null : (parseTimestamp(body.created_at) ?? null),
  }
}
