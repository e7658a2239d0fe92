import { CancelPayoutBody } from '../../contract/requests.ts'
import { validator } from '../../contract/validation.ts'
import { demandAvailable, untilSafe } from '../carry-out.ts'
import { readOptionalJson } from '../read-body.ts'
import { demandNoProblems, notFound, RefusalError } from '../refusal.ts'
import { runtimeOf, sendJson } from '../send-json.ts'
import { readNulls, unknownMembers } from './body-members.ts'
import { type Handler, idIn } from './handler.ts'

const checkBody = validator(CancelPayoutBody)

export const cancelPayout: Handler = async ({ request, reply, operation, contract }) => {
  const id = idIn(request)
  const runtime = runtimeOf(request)
  const { account } = runtime
  const body = readNulls(contract, await readOptionalJson(request.carrier, { bare: true }))
  if (!account.world.payouts.has(id)) throw notFound('payout intent')
  demandNoProblems([...checkBody(body), ...unknownMembers(contract, request, body, CancelPayoutBody)])
  const { reason } = body as CancelPayoutBody
  await demandAvailable(runtime)
  const outcome = account.execute(
    { type: 'MovePayout', payout: id, trigger: 'cancel', ...(reason === undefined ? {} : { reason }) },
    'merchant',
  )
  const payout = account.world.payouts.get(id)
  await untilSafe(runtime, outcome.seq)
  if ('refused' in outcome || !payout)
    throw 'refused' in outcome ? new RefusalError(outcome.refused) : notFound('payout intent')
  return sendJson(reply, operation.success.status, runtime.rendering.payout(payout))
}
