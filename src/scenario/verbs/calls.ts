import { ControlError } from '../../client/errors.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { requestLine } from '../../contract/control/call.ts'
import { isRecord } from '../../contract/json.ts'
import { lowerCased, type ReceivedAnswer } from '../../contract/wire-answer.ts'
import { match } from '../expect/match.ts'
import { matchAnswer } from '../expect/match-answer.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import type { RunningStep } from './verb.ts'

type ControlCall = { answer(): Promise<Answer> }

/** What a call needs of its step. */
export type ControlStep = Pick<
  RunningStep<string, { expect?: AnswerExpectation }>,
  'step' | 'stage' | 'scope'
>

/**
 * Makes a call of the control surface that may be refused, and compares the answer with the expectation of the step.
 */
export async function callControl(
  call: ControlCall,
  { step, scope }: Pick<ControlStep, 'step' | 'scope'>,
  subject?: string,
): Promise<StepResult> {
  const answer = await answerOrRefusal(call)
  const made = (answer.body as { id?: string } | undefined)?.id
  return {
    answer,
    subject: subject ?? made,
    value: answer.body,
    mismatches: matchAnswer(answer, step.expect, scope),
  }
}

/** The answer of a control call, even if it is a refusal, because the state of a record may forbid the change. */
async function answerOrRefusal(call: ControlCall): Promise<Answer> {
  try {
    return await call.answer()
  } catch (error) {
    if (error instanceof ControlError) return error.answer
    throw error
  }
}

interface Failure {
  failure_code?: string
  failure_message?: string
}

export const failureIn = ({ failure_code, failure_message }: Failure): Failure => ({
  ...(failure_code === undefined ? {} : { failure_code }),
  ...(failure_message === undefined ? {} : { failure_message }),
})

interface MerchantCall {
  readonly method: string
  readonly path: string
  readonly query?: unknown
  readonly json?: unknown
  readonly raw?: { readonly contentType?: string; readonly body: string | Buffer }
  /** The id of the record that the call is about, if its path has one. */
  readonly subject?: string
}

/** Members of a step that change how its call is made. */
interface CallOptions {
  keys?: 'test' | 'live' | 'wrong' | 'none'
  key?: string
  headers?: Record<string, string>
  expect?: AnswerExpectation
}

/** Makes a call of the merchant API once, and compares the answer with the expectation of the step. */
export async function callMerchant(
  call: MerchantCall,
  { step, stage, scope }: Pick<RunningStep<string, CallOptions>, 'step' | 'stage' | 'scope'>,
): Promise<StepResult> {
  const sent = requestOf(call, step, stage)
  const answer = await stage.target.wire.send(sent)
  stage.remember(answer.body)
  return {
    sent,
    answer,
    subject: call.subject ?? idIn(answer.body),
    value: answer.body ?? answer.text,
    mismatches: matchAnswer(answer, step.expect, scope),
  }
}

function requestOf(
  { method, path, query, json, raw }: MerchantCall,
  { keys, key, headers }: CallOptions,
  stage: Stage,
): Sent {
  const body = json === undefined ? raw?.body : JSON.stringify(json)
  const type = json === undefined ? raw?.contentType : 'application/json'
  return {
    method,
    url: stage.target.baseUrl + path + queryText(query),
    headers: {
      ...stage.credentials(keys),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...lowerCased(headers ?? {}),
    },
    ...(body === undefined ? {} : { body }),
  }
}

/** A list becomes a repeated parameter. */
export function queryText(query: unknown): string {
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    [value].flat().map(one => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function idIn(body: unknown): string | undefined {
  const id = isRecord(body) ? body.id : undefined
  return typeof id === 'string' ? id : undefined
}

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
