import { setTimeout as pause } from 'node:timers/promises'
import * as Type from '@sinclair/typebox'
import { ApplicationError } from '../../application/application-error.ts'
import { type DisturbanceKind, type DisturbanceTarget, KINDS } from '../../application/disturbance.ts'
import { shownAnswer } from '../../application/payer.ts'
import { parseDuration } from '../../contract/durations.ts'
import { oneOf } from '../../contract/schema.ts'
import { lowerCased, type ReceivedAnswer } from '../../contract/wire-answer.ts'
import { matchAnswer } from '../expect/match-answer.ts'
import type { StepCheck } from '../load/step-check.ts'
import { lookMismatches } from '../run/played-application.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import { nothingWrong, type StepResult } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'
import {
  type AnswerExpectation,
  AnswerSchema,
  anything,
  count,
  duration,
  matcher,
  maybe,
  name,
  object,
  text,
} from '../schema/answers.ts'
import { requestLine } from '../schema/file.ts'
import { queryText } from './calls.ts'
import { payerReturns } from './payer.ts'
import { brief, demandApplication, verb } from './verb.ts'

const headers = maybe(Type.Record(Type.String(), Type.String(), { description: 'more headers' }))

interface CallStep {
  readonly query?: unknown
  readonly json?: unknown
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly expect?: AnswerExpectation
  readonly clicks?: boolean
}

interface LookStep {
  readonly is?: unknown
  readonly status?: unknown
  readonly within?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface DisturbStep extends DisturbanceTarget {
  readonly disturb: DisturbanceKind | 'end'
  readonly delay?: string
  readonly payment?: string
}

/** An application may work after it has answered, or poll from time to time, so wait for it. */
const PATIENCE = '5s'
const MIDWAY_MS = 1000
const MOST_WORK_MS = 1000
const LOOKS_AGAIN_MS = 2000
/** A program that polls is never idle: this many times `within` is enough. */
const MOST_IDLE_WAITS = 2
/** Even a check with little time left waits this long for an answer. */
const SHORTEST_ANSWER_MS = 1000
const POLL_MS = 10
const LONGEST_POLL_MS = 100

function requestOf(line: string, step: CallStep, stage: Stage) {
  const [method = 'GET', path = '/'] = line.split(' ')
  const body = step.json === undefined ? step.text : JSON.stringify(step.json)
  const headers = {
    ...(step.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...lowerCased(step.headers ?? {}),
  }
  const full = path + queryText(step.query)
  const sent: Sent = {
    method,
    url: stage.played.app.url + full,
    headers,
    ...(body === undefined ? {} : { body }),
  }
  return { request: { method, path: full, headers, body }, sent }
}

async function callApp(line: string, step: CallStep, stage: Stage, scope: Scope): Promise<StepResult> {
  const { played } = stage
  if (played.run.isDisturbed) await played.catchUp(stage)
  const { request, sent } = requestOf(line, step, stage)
  const mismatchesOf = (answer: ReceivedAnswer) => matchAnswer(answer, step.expect, scope)
  const isExpected = (answer: ReceivedAnswer) => mismatchesOf(answer).length === 0
  const send = () => played.ask(request)
  const answers = step.clicks
    ? await played.run.payer.presses(line, send, isExpected)
    : ([await send()] as const)
  const answer = shownAnswer(answers, isExpected)
  // If the button was pressed twice, the answers may differ from the usual one, as long as one of them is a success.
  const isServed = answers.length > 1 && answers.some(({ status }) => status >= 200 && status < 400)
  return {
    sent,
    answer,
    value: answer.body ?? answer.text,
    mismatches: isServed ? [] : mismatchesOf(answer),
  }
}

/**
 * Repeats the request until the answer is as expected. In a disturbed run, a step that fails midway is repeated at the
 * end, and only that counts.
 */
async function expectApp(
  line: string,
  step: LookStep,
  stage: Stage,
  path: readonly (string | number)[],
): Promise<StepResult> {
  const { played } = stage
  const withinMs = parseDuration(step.within ?? PATIENCE) ?? 0
  const midwayMs = Math.min(withinMs, played.patience?.midwayMs ?? MIDWAY_MS)
  const atEndMs = Math.min(withinMs, played.patience?.atEndMs ?? withinMs)
  const isFinal = played.isJudgedAtEnd && played.isOver
  let asked = 0
  const look = (forMs: number) => repeatUntilMatch(line, step, stage, forMs, () => asked++)
  /** Does not count a failure before the application had all the time that the file allows, unless `isHasty` is set. */
  const confirmed = async (result: StepResult, spentMs: number) => {
    const mustWait = played.run.restarts.length > 0
    if (result.mismatches.length === 0 || (spentMs >= withinMs && !mustWait)) return result
    played.isHasty = played.patience?.mayGiveUp(line) ?? false
    if (played.isHasty) return result
    const late = spentMs >= withinMs ? result : await look(withinMs - spentMs)
    if (late.mismatches.length === 0 || !mustWait) return late
    // A queue gives what was under way at a crash to nobody else until its lease ends.
    await played.run.idleFor(withinMs, MOST_IDLE_WAITS * withinMs)
    return look(withinMs)
  }
  const startedAt = performance.now()
  let result = await look(played.isLenient ? midwayMs : atEndMs)
  if (result.mismatches.length > 0 && isFinal) {
    if (await played.doEverythingDue(stage)) result = await look(atEndMs)
    result = await confirmed(result, atEndMs)
  }
  const tookMs = performance.now() - startedAt
  // If the answer was right only later, the application works after it has answered. It may do that work twice.
  if (asked > 1 && isFinal && result.mismatches.length === 0) {
    await pause(Math.min(2 * tookMs, MOST_WORK_MS))
    const againMs = Math.min(atEndMs, LOOKS_AGAIN_MS)
    result = await confirmed(await look(againMs), againMs)
  }
  const written = { 'expect app': line, ...step }
  played.looks.push({ path, request: line, tookMs, stillHolds: false, step: written })
  return played.isLenient ? { ...result, mismatches: [] } : result
}

async function repeatUntilMatch(
  line: string,
  step: LookStep,
  stage: Stage,
  withinMs: number,
  onAsk: () => void,
): Promise<StepResult> {
  const { request, sent } = requestOf(line, step, stage)
  const deadline = performance.now() + withinMs
  const answerWithinMs = Math.max(SHORTEST_ANSWER_MS, withinMs)
  for (let pauseMs = POLL_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_POLL_MS)) {
    onAsk()
    const answer = await stage.played.ask(request, answerWithinMs)
    const mismatches = lookMismatches(step, answer)
    if (
      mismatches.length === 0 ||
      performance.now() >= deadline ||
      stage.played.app.unexpectedEnd !== undefined
    )
      return { sent, answer, value: answer.body ?? answer.text, mismatches }
    await pause(pauseMs)
    // In the meantime the application may have done something that makes a webhook due.
    stage.noteActivity()
    await stage.settle()
  }
}

async function disturb(step: DisturbStep, stage: Stage, scope: Scope): Promise<StepResult> {
  const { played } = stage
  const { disturb: kind, event, call, nth, attempts, waits, when, delay, payment } = step
  if (kind === 'end') {
    await played.end(stage)
    return nothingWrong
  }
  const delayMs = delay === undefined ? undefined : parseDuration(delay)
  played.run.disturbances.arm({ kind, event, call, nth, attempts, waits, when, delayMs })
  if (payment !== undefined) return payerReturns(payment, {}, stage, scope)
  if (kind !== 'restart') return nothingWrong
  const result = await restart(stage)
  const armed = played.run.disturbances.all.at(-1)
  const isUp = result.mismatches.length === 0
  if (armed) armed.met = event === undefined || !isUp || (await played.run.sendAgain(event)) > 0
  return result
}

/** If the application does not start again, the step fails. */
async function restart({ played }: Stage): Promise<StepResult> {
  try {
    await played.run.restart()
    return nothingWrong
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error
    const { message } = error
    const expected = 'a running application'
    return { mismatches: [{ path: [], subject: 'application', expected, actual: 'ended', why: message }] }
  }
}

/** A disturbance must name what to disturb: an event or a call, depending on its kind. */
function checkDisturbance(
  { disturb: kind, event, call, payment, waits }: DisturbStep,
  check: StepCheck,
): void {
  demandApplication('disturb', check)
  const needs = /^webhook-(?!early)|^return-(early|at-once)$/.test(kind)
    ? 'event'
    : /^(call|answer)-|^webhook-early$/.test(kind)
      ? 'call'
      : undefined
  const given = { event, call }
  if (needs && given[needs] === undefined)
    check.say(['disturb'], `${kind} needs ${needs}: name the ${needs} to disturb`)
  for (const key of ['event', 'call'] as const)
    if (key !== needs && given[key] !== undefined && !(kind === 'restart' && key === 'event'))
      check.say([key], `${kind} takes no ${key}: remove it`)
  if (waits !== undefined && kind !== 'webhook-late')
    check.say(['waits'], `${kind} takes no waits: remove it`)
  if (payment !== undefined && kind !== 'return-twice' && kind !== 'return-prefetch')
    check.say(['payment'], `${kind} takes no payment: remove it`)
}

const kind = oneOf([...KINDS, 'end'], 'what goes wrong from here on; `end` waits until everything is over')

/** Steps that call the merchant's application and check its state. */
export const APPLICATION = [
  verb('call app', {
    value: requestLine('a method and a path of the application, such as `POST /orders`'),
    beside: {
      query: maybe(object('the query')),
      json: maybe(anything('the JSON body')),
      text: maybe(Type.String({ description: 'the body as text' })),
      headers,
      clicks: maybe(
        Type.Boolean({
          description: 'whether a person presses a button here, so that the same call may come twice',
        }),
      ),
      as: maybe(name),
      expect: maybe(AnswerSchema),
    },
    moves: true,
    title: ({ value }) => [value],
    check({ step }, check) {
      demandApplication('call app', check)
      if (step.json !== undefined && step.text !== undefined)
        check.say(['text'], 'a request has only one body: remove text or json')
    },
    play: ({ value, step, stage, scope }) => callApp(value, step, stage, scope),
  }),
  verb('expect app', {
    value: requestLine('a method and a path of the application, such as `GET /orders/1`'),
    beside: {
      is: maybe(matcher('the expected JSON body of the answer')),
      status: maybe(matcher('the expected HTTP status; any 2xx by default')),
      headers,
      within: maybe(duration('how long to repeat the request, in wall time; 5s by default')),
      as: maybe(name),
    },
    title: ({ value, step }) => [value, ...(step.is === undefined ? [] : [`is ${brief(step.is)}`])],
    check: (_, check) => demandApplication('expect app', check),
    play: ({ value, step, stage, path }) => expectApp(value, step, stage, path),
  }),
  verb('restart', {
    value: oneOf(['app'], 'kills the application and starts it again'),
    title: ({ value }) => [value],
    check: (_, check) => demandApplication('restart', check),
    play: ({ stage }) => restart(stage),
  }),
  verb('disturb', {
    value: kind,
    beside: {
      event: maybe(
        text('the type of the webhook event to disturb; restart: of the events that come again afterwards'),
      ),
      call: maybe(requestLine('the call of the application to disturb, such as `GET /payment_intents/:id`')),
      nth: maybe(count('which of them, counted from here; the first by default')),
      payment: maybe(
        text(
          'return-twice and return-prefetch: the payment whose payer returns here, without a step that says so',
        ),
      ),
      attempts: maybe(count('webhook-late: how many attempts are lost; 1 by default')),
      waits: maybe(
        Type.Literal(false, {
          description:
            'webhook-late: the story goes on without the event, instead of waiting for it before it calls the application',
        }),
      ),
      when: maybe(
        oneOf(
          ['before', 'after'],
          'forged webhooks and unknown types: before or after the real one; both by default',
        ),
      ),
      delay: maybe(duration('call-slow: the delay of the answer; 2s by default')),
      payments: maybe(
        Type.Integer({ minimum: 0, description: 'end: how many payments there are if nothing is disturbed' }),
      ),
      known: maybe(
        Type.Array(Type.String(), {
          description: 'end: violations that also happen in the plain run, and do not count',
        }),
      ),
    },
    title: ({ value, step }) => [value, step.event ?? step.call ?? ''],
    check: ({ step }, check) => checkDisturbance(step, check),
    play: ({ step, stage, scope }) => disturb(step, stage, scope),
  }),
]
