import { setTimeout as pause } from 'node:timers/promises'
import { parseDuration } from '../../contract/durations.ts'
import { type Mismatch, match } from '../run/match.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Answer, Sent } from '../run/wire.ts'
import { answerOf } from './control-call.ts'
import type { Handlers } from './handlers.ts'

const PAGE = 100

interface Fetched {
  readonly sent: Sent
  readonly answer: Answer
}
type Fetch = (id: string, stage: Stage) => Promise<Fetched>

/** A record by the merchant's eyes. */
async function merchantGet(path: string, stage: Stage): Promise<Fetched> {
  const { wire, baseUrl } = stage.target
  const sent: Sent = { method: 'GET', url: baseUrl + path, headers: stage.credentials(undefined) }
  const answer = await wire.send(sent)
  stage.remember(answer.body)
  return { sent, answer }
}

/** A record with all that the merchant API hides. */
async function controlGet(records: 'payments' | 'payouts', id: string, stage: Stage): Promise<Fetched> {
  const { control } = stage.simulated
  const url = `/_paysim/accounts/${control.id}/${records}/${id}`
  return { sent: { method: 'GET', url, headers: {} }, answer: await answerOf(control[records].get(id)) }
}

const paymentOf: Fetch = (id, stage) => merchantGet(`/payment_intents/${encodeURIComponent(id)}`, stage)
const recordOf: Fetch = (id, stage) => controlGet(id.startsWith('po_') ? 'payouts' : 'payments', id, stage)

/** The merchant API has no call for one payout: a real gateway is asked for all of them, page by page. */
const payoutOf: Fetch = async (id, stage) => {
  if (stage.account) return controlGet('payouts', id, stage)
  for (let cursor = ''; ; ) {
    const { sent, answer } = await merchantGet(`/payout_intents?limit=${PAGE}${cursor}`, stage)
    const page = answer.body as
      | { data?: { id: string }[]; has_more?: boolean; next_cursor?: string }
      | undefined
    const found = page?.data?.find(payout => payout.id === id)
    if (found) return { sent, answer: { ...answer, body: found } }
    if (!page?.has_more || !page.next_cursor)
      return { sent, answer: { ...answer, status: 404, body: undefined } }
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

/** What a fetched record must be; of a record that is not there nothing can be said. */
async function look(fetch: Fetch, id: string, is: unknown, stage: Stage, what = ''): Promise<StepResult> {
  await stage.settle()
  const { sent, answer } = await fetch(id, stage)
  if (answer.lost !== undefined || answer.status !== 200) {
    const actual = answer.lost ?? answer.status
    const mismatch = { path: [], subject: id, expected: 'a record', actual, why: 'could not be read' }
    return { sent, answer, subject: id, mismatches: [mismatch] }
  }
  const body = answer.body as Record<string, unknown>
  const value = what === '' ? body : body[what]
  return { sent, answer, subject: id, value, mismatches: match(is, value, what, ['is']) }
}

const untilLater: Readonly<Record<'virtual' | 'real', string>> = { virtual: '72h', real: '30s' }
const GLANCE_MS = 50

/** Looks again each time something happens, until it is so: on standing time from one timer to the next. */
async function waitFor(
  step: { within?: string; is: unknown },
  id: string,
  stage: Stage,
): Promise<StepResult> {
  const limit = parseDuration(step.within ?? untilLater[stage.virtual ? 'virtual' : 'real']) ?? 0
  const deadline = stage.now + limit
  for (;;) {
    const happening = await look(paymentOf, id, step.is, stage)
    if (happening.mismatches.length === 0 || !(await later(stage, deadline))) return happening
  }
}

async function later(stage: Stage, deadline: number): Promise<boolean> {
  if (!stage.virtual) {
    await pause(GLANCE_MS)
    return stage.now < deadline
  }
  const { next_due: next } = await stage.simulated.control.clock.get()
  if (next === null || Date.parse(next) > deadline) return false
  await stage.advance({ to: next })
  return true
}

function ofReceipt(is: unknown): unknown {
  return typeof is === 'string' ? { status: is } : is
}

export const LOOKS: Pick<
  Handlers,
  | 'expect payment'
  | 'expect receipt'
  | 'expect payout'
  | 'expect record'
  | 'expect value'
  | 'wait for payment'
> = {
  'expect payment': (step, stage) => look(paymentOf, step['expect payment'], step.is, stage),
  'expect receipt': (step, stage) =>
    look(paymentOf, step['expect receipt'], ofReceipt(step.is), stage, 'receipt'),
  'expect payout': (step, stage) => look(payoutOf, step['expect payout'], step.is, stage),
  'expect record': (step, stage) => look(recordOf, step['expect record'], step.is, stage),
  'expect value': async (step, _: Stage, __: Scope) => {
    const value = step['expect value']
    const mismatches: Mismatch[] = match(step.is, value, '', ['is'])
    return { value, mismatches }
  },
  'wait for payment': (step, stage) => waitFor(step, step['wait for payment'], stage),
}
