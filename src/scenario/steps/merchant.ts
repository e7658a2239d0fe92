import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import type { AnswerExpectation, Image } from '../schema/answers.ts'
import type { StepOf } from '../schema/steps.ts'
import { expectAnswer } from './expect-answer.ts'
import { formOf, pictureOf } from './form.ts'
import type { Handlers } from './handlers.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly query?: unknown
  readonly json?: unknown
  readonly raw?: { readonly contentType?: string; readonly body: string | Buffer }
  readonly subject?: string
}

/** What a step says of its call besides the call. */
interface Manner {
  keys?: 'test' | 'live' | 'wrong' | 'none'
  key?: string
  headers?: Record<string, string>
  expect?: AnswerExpectation
}

const call = (call: Call, step: Manner, stage: Stage, scope: Scope) =>
  send(callOf(call, step, stage), step, stage, scope, call.subject)

async function send(
  sent: Sent,
  step: Manner,
  stage: Stage,
  scope: Scope,
  subject?: string,
): Promise<StepResult> {
  const answer = await stage.target.wire.send(sent)
  stage.remember(answer.body)
  const id = subject ?? idIn(answer.body)
  return {
    sent,
    answer,
    subject: id,
    value: answer.body ?? answer.text,
    mismatches: expectAnswer(answer, step.expect, scope),
  }
}

function idIn(body: unknown): string | undefined {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined
  return typeof id === 'string' ? id : undefined
}

function callOf(
  { method, path, query, json, raw }: Call,
  { keys, key, headers }: Manner,
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
      ...lowerCase(headers ?? {}),
    },
    ...(body === undefined ? {} : { body }),
  }
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A list gives its name often. */
function queryText(query: unknown): string {
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    [value].flat().map(one => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const payment = (id: string, tail = '') => `/payment_intents/${encodeURIComponent(id)}${tail}`

async function receiptOf(step: StepOf<'submit receipt'>, stage: Stage): Promise<Pick<Call, 'json' | 'raw'>> {
  if (step.asset !== undefined) return { json: { asset_id: step.asset } }
  const { image, file } = step as { image?: Image; file?: string }
  const picture = await pictureOf({ ...(image ? { image } : {}), ...(file ? { file } : {}) }, stage)
  return { raw: formOf(step.boundary ?? stage.nextBoundary(), {}, picture) }
}

export const MERCHANT: Pick<
  Handlers,
  | 'list methods'
  | 'create payment'
  | 'get payment'
  | 'cancel payment'
  | 'submit receipt'
  | 'list payouts'
  | 'cancel payout'
  | 'request'
> = {
  'list methods': (step, stage, scope) =>
    call(
      { method: 'GET', path: '/payment_methods/options', query: step['list methods'] },
      step,
      stage,
      scope,
    ),
  'create payment': (step, stage, scope) =>
    call({ method: 'POST', path: stage.target.createPath, json: step['create payment'] }, step, stage, scope),
  'get payment': (step, stage, scope) => {
    const id = step['get payment']
    return call({ method: 'GET', path: payment(id), subject: id }, step, stage, scope)
  },
  'cancel payment': (step, stage, scope) => {
    const id = step['cancel payment']
    const raw = { contentType: 'application/json', body: '' }
    return call(
      { method: 'POST', path: payment(id, '/cancel-pending'), raw, subject: id },
      step,
      stage,
      scope,
    )
  },
  'submit receipt': async (step, stage, scope) => {
    const id = step['submit receipt']
    const body = await receiptOf(step, stage)
    return call({ method: 'POST', path: payment(id, '/receipt'), ...body, subject: id }, step, stage, scope)
  },
  'list payouts': (step, stage, scope) =>
    call({ method: 'GET', path: '/payout_intents', query: step['list payouts'] }, step, stage, scope),
  'cancel payout': (step, stage, scope) => {
    const id = step['cancel payout']
    const json = step.reason === undefined ? {} : { json: { reason: step.reason } }
    const path = `/payout_intents/${encodeURIComponent(id)}/cancel`
    return call({ method: 'POST', path, ...json, subject: id }, step, stage, scope)
  },
  request: (step, stage, scope) => {
    const [method = 'GET', path = '/'] = step.request.split(' ')
    const raw = step.text === undefined ? {} : { raw: { body: step.text } }
    const json = step.json === undefined ? {} : { json: step.json }
    return call({ method, path, query: step.query, ...raw, ...json }, step, stage, scope)
  },
}
