import { FailureReason, NewPayout, PayoutCancelBody } from '../../contract/control/requests.ts'
import { isCountry } from '../../contract/currencies.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { CANNOT_BE_SHOWN, canBeShown, parseTimestamp } from '../../contract/timestamps.ts'
import type { Command } from '../../domain/commands.ts'
import type { Payout } from '../../domain/model.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { carryOut, demandAvailable, untilSafe } from '../carry-out.ts'
import type { Request } from '../http/request.ts'
import { anyOf, pageOf } from '../lists.ts'
import { idempotency, keptRecord, readKey } from '../merchant/answer.ts'
import { fingerprintOf } from '../merchant/payments.ts'
import { demandNoProblems, RefusalError } from '../refusal.ts'
import { bodyReader, type ControlHandlers, failureIn, found, handlersOf, param } from './control-call.ts'
import { fullPayout } from './views.ts'

const readPayout = bodyReader<NewPayout>(NewPayout)
const readCancel = bodyReader<PayoutCancelBody>(PayoutCancelBody, { optional: true })
const readTrigger = bodyReader<FailureReason>(FailureReason, { optional: true })

/** Creating payouts and deciding their outcome, which the merchant API cannot do. */
export const payoutCalls = {
  'GET /accounts/:account/payouts': async ({ runtime, request, answer }) => {
    const isWanted = anyOf(request, 'status')
    const view = (payout: Payout) => fullPayout(payout, runtime)
    const page = await pageOf(request, runtime.account.world.payouts, view, ([, , status]) =>
      isWanted(status),
    )
    return answer(200, page)
  },

  'GET /accounts/:account/payouts/:id': ({ runtime, request, answer }) => {
    return answer(200, viewOf(runtime, param(request, 'id')))
  },

  'POST /accounts/:account/payouts': async ({ runtime, request, answer, reply }) => {
    const body = await readPayout(request)
    const { key, problems } = readKey(request, { required: false })
    demandNoProblems([...problems, ...payoutProblems(body)])
    const command = {
      type: 'CreatePayout',
      payout: newPayout(body),
      idempotency: idempotency(request, key, () => fingerprintOf(body)),
    } as const
    await demandAvailable(runtime)
    const outcome = runtime.account.execute(command, 'operator')
    if ('replay' in outcome) {
      const kept = await keptRecord(runtime, reply, outcome.replay)
      if ('payout' in kept) return answer(201, fullPayout(kept.payout, runtime))
      throw new Error('the answer kept for a payout is of another record')
    }
    await untilSafe(runtime, outcome.seq)
    if ('refused' in outcome) throw new RefusalError(outcome.refused)
    return answer(201, viewOf(runtime, outcome.id))
  },

  ...handlersOf(
    'POST /accounts/:account/payouts/:id',
    ['approve', 'succeed', 'fail'],
    trigger =>
      async ({ runtime, request, answer }) => {
        const failure = failureIn(await readTrigger(request))
        return answer(200, await move(runtime, request, { trigger, failure }))
      },
  ),

  'POST /accounts/:account/payouts/:id/cancel': async ({ runtime, request, answer }) => {
    const { reason } = await readCancel(request)
    const how = { trigger: 'cancel', ...(reason === undefined ? {} : { reason }) } as const
    return answer(200, await move(runtime, request, how))
  },
} satisfies Partial<ControlHandlers>

type Move = Omit<Extract<Command, { type: 'MovePayout' }>, 'type' | 'payout'>

async function move(runtime: AccountRuntime, request: Request, how: Move) {
  const payout = param(request, 'id')
  const id = await carryOut(runtime, { type: 'MovePayout', payout, ...how }, 'operator')
  return viewOf(runtime, id)
}

const viewOf = (runtime: AccountRuntime, id: string) =>
  fullPayout(found('payout intent', runtime.account.world.payouts.get(id)), runtime)

/** Checks that the schema cannot express. */
function payoutProblems({ country, recipient, created_at }: NewPayout): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!canBeShown(created_at)) problems.push({ field: 'created_at', message: CANNOT_BE_SHOWN })
  if (!isCountry(country))
    problems.push({ field: 'country', message: `is not an assigned ISO 3166-1 code: ${country}` })
  // The last four digits are shown.
  if (recipient.account_number.replace(/\D/g, '').length < 4)
    problems.push({ field: 'recipient.account_number', message: 'must have at least four digits' })
  return problems
}

function newPayout(body: NewPayout) {
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
