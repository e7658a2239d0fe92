import type { FieldProblem } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CancelPayoutBody, PayoutListQuery } from '../../contract/requests.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import { validator } from '../../contract/validation.ts'
import type { Position } from '../../domain/list-index.ts'
import { type PayoutPage, pageOfPayouts, positionOf } from '../../domain/list-payouts.ts'
import { demandAvailable, untilSafe } from '../carry-out.ts'
import { readOptionalJson } from '../http/read-body.ts'
import { sendJson } from '../http/reply.ts'
import { readCursor, writeCursor } from '../lists.ts'
import { demandNoProblems, notFound, RefusalError, refuseProblems } from '../refusal.ts'
import { type Handler, idIn, readNulls, unknownMembers } from './answer.ts'

const checkQuery = validator(PayoutListQuery)

export const listPayouts: Handler = async ({ request, reply, runtime, operation, contract }) => {
  const given = splitStatus(request.query as Record<string, unknown>)
  demandNoProblems(checkQuery(given).map(nameStatus))
  const query = given as PayoutListQuery
  const { account, rendering } = runtime
  const from = query.cursor === undefined ? undefined : readCursor(account, query.cursor)
  if (query.cursor !== undefined && !from)
    throw refuseProblems([{ field: 'cursor', message: 'is not a next_cursor of this list' }])
  const wanted = {
    country: query.country,
    currency: query.currency,
    statuses: query.status,
    merchantReference: query.merchant_reference,
    createdFrom: query.created_after === undefined ? undefined : parseTimestamp(query.created_after),
    createdBefore: query.created_before === undefined ? undefined : parseTimestamp(query.created_before),
    limit: query.limit === undefined ? LIMITS.pageSize.standard : Number(query.limit),
    below: from,
  }
  const page = pageOfPayouts(account.world, wanted)
  const newest = page.payouts.reduce((seq, payout) => Math.max(seq, payout.seq), 0)
  await account.journal.durable(newest)
  const data = page.payouts.map(payout => rendering.payout(payout)).join(',')
  const cursor = nextCursor(page, last => writeCursor(account, last), contract['list.last_cursor'])
  return sendJson(reply, operation.success.status, `{"data":[${data}],"has_more":${page.hasMore}${cursor}}`)
}

function nextCursor(
  { payouts, hasMore }: PayoutPage,
  write: (last: Position) => string,
  onLastPage: 'null' | 'omit' | 'empty',
): string {
  const last = payouts.at(-1)
  if (hasMore && last) return `,"next_cursor":"${write(positionOf(last))}"`
  return { null: ',"next_cursor":null', omit: '', empty: ',"next_cursor":""' }[onLastPage]
}

/** A single value, a comma-separated list, or the parameter repeated. */
function splitStatus(query: Record<string, unknown>): Record<string, unknown> {
  if (query.status === undefined) return query
  return { ...query, status: [query.status].flat().flatMap(value => String(value).split(',')) }
}

const nameStatus = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  field: problem.field.replace(/^status\.\d+$/, 'status'),
})

const checkBody = validator(CancelPayoutBody)

export const cancelPayout: Handler = async ({ request, reply, runtime, operation, contract }) => {
  const id = idIn(request)
  const { account } = runtime
  const body = readNulls(contract, await readOptionalJson(request.exchange, { bare: true }))
  if (!account.world.payouts.has(id)) throw notFound('payout intent')
  demandNoProblems([...checkBody(body), ...unknownMembers(contract, request, body, CancelPayoutBody)])
  const { reason } = body as CancelPayoutBody
  const why = reason === undefined ? {} : { reason }
  const command = { type: 'MovePayout', payout: id, trigger: 'cancel', ...why } as const
  await demandAvailable(runtime)
  const outcome = account.execute(command, 'merchant')
  const payout = account.world.payouts.get(id)
  await untilSafe(runtime, outcome.seq)
  if ('refused' in outcome || !payout)
    throw 'refused' in outcome ? new RefusalError(outcome.refused) : notFound('payout intent')
  return sendJson(reply, operation.success.status, runtime.rendering.payout(payout))
}
