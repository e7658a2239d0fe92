import { CancelPayoutBody } from '../../contract/requests.ts'
import { validator } from '../../contract/validation.ts'
import { demandAvailable } from '../carry-out.ts'
import { readOptionalJson } from '../read-body.ts'
import { demandNoFaults, notFound, Refusal } from '../refusal.ts'
import { sendJson, tenantOf } from '../send-json.ts'
import { readNulls, unknownMembers } from './body-members.ts'
import { type Handler, idIn } from './handler.ts'

const checkBody = validator(CancelPayoutBody)

export const cancelPayout: Handler = async ({ request, reply, operation, contract }) => {
  const id = idIn(request)
  const tenant = tenantOf(request)
  const { account } = tenant
  const body = readNulls(contract, await readOptionalJson(request.raw, { bare: true }))
  if (!account.world.payouts.has(id)) throw notFound('payout intent')
  demandNoFaults([...checkBody(body), ...unknownMembers(contract, request, body, CancelPayoutBody)])
  const { reason } = body as CancelPayoutBody
  await demandAvailable(tenant)
  const outcome = account.execute(
    { type: 'MovePayout', payout: id, trigger: 'cancel', ...(reason === undefined ? {} : { reason }) },
    'merchant',
  )
  const payout = account.world.payouts.get(id)
  await account.journal.durable(outcome.seq)
  if ('refused' in outcome || !payout)
    throw 'refused' in outcome ? new Refusal(outcome.refused) : notFound('payout intent')
  return sendJson(reply, operation.success.status, tenant.rendering.payout(payout))
}
