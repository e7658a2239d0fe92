import { PayoutBody, PayoutCancelBody, TriggerBody } from '../../contract/control/requests.ts'
import { isCountry } from '../../contract/countries.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import type { Command } from '../../domain/commands.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { carryOut } from '../carry-out.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'
import { demandNoProblems, notFound } from '../refusal.ts'
import { bodyReader, param, runtimeNamed, send } from './control-call.ts'
import { pageOf } from './paging.ts'
import type { ControlSettings } from './settings.ts'
import { fullPayout } from './views.ts'

const readPayout = bodyReader<PayoutBody>(PayoutBody)
const readCancel = bodyReader<PayoutCancelBody>(PayoutCancelBody, { optional: true })
const readTrigger = bodyReader<TriggerBody>(TriggerBody, { optional: true })

/** What the merchant API does not show: making payouts, and what becomes of them. */
export function payoutCalls(scope: Routes, { gateway }: ControlSettings): void {
  scope.get('/accounts/:account/payouts', (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    return send(
      reply,
      200,
      pageOf(request, runtime.account.world.payoutList, id => viewOf(runtime, id)),
    )
  })

  scope.get('/accounts/:account/payouts/:id', (request, reply) => {
    const view = viewOf(runtimeNamed(gateway, request), param(request, 'id'))
    if (!view) throw notFound('payout intent')
    return send(reply, 200, view)
  })

  scope.post('/accounts/:account/payouts', async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const body = await readPayout(request)
    demandNoProblems(payoutProblems(body))
    const id = await carryOut(runtime, { type: 'CreatePayout', payout: newPayout(body) }, 'operator')
    return send(reply, 201, viewOf(runtime, id))
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
    const runtime = runtimeNamed(gateway, request)
    const payout = param(request, 'id')
    const id = await carryOut(runtime, { type: 'MovePayout', payout, ...how }, 'operator')
    return send(reply, 200, viewOf(runtime, id))
  }
}

function viewOf(runtime: AccountRuntime, id: string) {
  const payout = runtime.account.world.payouts.get(id)
  return payout && fullPayout(payout, runtime)
}

/** What no schema says. */
function payoutProblems({ country, recipient }: PayoutBody): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!isCountry(country))
    problems.push({ field: 'country', message: `is not an assigned ISO 3166-1 code: ${country}` })
  // Its last four digits are shown.
  if (recipient.account_number.replace(/\D/g, '').length < 4)
    problems.push({ field: 'recipient.account_number', message: 'must have at least four digits' })
  return problems
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
