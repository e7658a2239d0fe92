import { requestLine } from '../../contract/control/call.ts'
import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import { match } from '../expect/match.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import { answerOrRefusal } from './control-call.ts'

interface Fetched {
  readonly sent: Sent
  readonly answer: ReceivedAnswer
}

/** Reads a record as the merchant does. */
export async function merchantGet(path: string, stage: Stage): Promise<Fetched> {
  const { wire, baseUrl } = stage.target
  const sent: Sent = { method: 'GET', url: baseUrl + path, headers: stage.credentials(undefined) }
  const answer = await wire.send(sent)
  stage.remember(answer.body)
  return { sent, answer }
}

/** Reads a record with what the merchant API hides. */
export async function controlGet(
  records: 'payments' | 'payouts',
  id: string,
  stage: Stage,
): Promise<Fetched> {
  const { control } = stage.simulated
  const call = `GET /accounts/:account/${records}/:id` as const
  const { method, path } = requestLine(call, { params: { account: control.id, id } })
  const answer = await answerOrRefusal(control.call(call, { params: { id } }))
  return { sent: { method, url: `/_paysim${path}`, headers: {} }, answer }
}

/** Compares a record, or one member of it, with the expected value. */
export async function lookAt(
  fetch: (id: string, stage: Stage) => Promise<Fetched>,
  id: string,
  is: unknown,
  stage: Stage,
  member = '',
): Promise<StepResult> {
  await stage.settle()
  const { sent, answer } = await fetch(id, stage)
  if (answer.lost !== undefined || answer.status !== 200) {
    const actual = answer.lost ?? answer.status
    const mismatch = { path: [], subject: id, expected: 'a record', actual, why: 'could not be read' }
    return { sent, answer, subject: id, mismatches: [mismatch] }
  }
  const body = answer.body as Record<string, unknown>
  const value = member === '' ? body : body[member]
  return { sent, answer, subject: id, value, mismatches: match(is, value, member, ['is']) }
}
