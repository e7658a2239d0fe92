import type { Subject } from '../application/disturbance.ts'
import { isRecord, parseForeign } from '../contract/json.ts'
import type { ScenarioData, ScenarioResult } from '../scenario/index.ts'

/** A webhook that was sent to the application in the plain run. */
export interface SeenWebhook extends Subject {
  readonly id: string
  readonly type: string
  /** The step during which it came, counted from 0. */
  readonly step: number
  readonly status: number
  /** The payment or payout that it is about. */
  readonly subject: string
}

/** A call that the application made in the plain run. */
export interface SeenCall extends Subject {
  readonly operation: string
  readonly step: number
  readonly status: number
  /** The record that the call is about, if its answer or path names one. */
  readonly subject: string
}

/** A step in which the payer came back from a payment to the application. */
interface SeenReturn {
  readonly payment: string
  readonly step: number
  /** Whether a later step uses the answer. */
  readonly isUsed: boolean
}

/** A payment that the payer decided without a step in which the payer returns, though a browser would. */
interface SeenDecision {
  readonly payment: string
  readonly step: number
  /** The payment, as the step names it. */
  readonly named: string
}

/** An expectation that still holds at the end of the scenario, so it describes the application's final state. */
export interface FinalLook {
  readonly step: Readonly<Record<string, unknown>>
  readonly tookMs: number
}

/** What happened in the plain run. The places to disturb are derived from it. */
export interface StoryRecord {
  readonly steps: readonly Readonly<Record<string, unknown>>[]
  readonly webhooks: readonly SeenWebhook[]
  readonly calls: readonly SeenCall[]
  readonly returns: readonly SeenReturn[]
  readonly decisions: readonly SeenDecision[]
  /** The steps in which a button was pressed. */
  readonly clicks: readonly { readonly step: number }[]
  readonly finalLooks: readonly FinalLook[]
  /** Violations that also happen in the plain run, so a disturbance did not cause them. */
  readonly known: readonly string[]
  /** How many payments the account has at the end, if that is the same in both plain runs. */
  readonly payments?: number | undefined
  readonly tookMs: number
}

export function recordOf(data: ScenarioData, result: ScenarioResult, run: string): StoryRecord {
  const seen = result.application
  const steps = (data.steps ?? []) as Record<string, unknown>[]
  const first = new Set<string>()
  const webhooks = (seen?.deliveries ?? []).filter(({ id, sent }) => {
    const isFirst = sent === 'event' && !first.has(id)
    if (isFirst) first.add(id)
    return isFirst
  })
  return {
    steps,
    webhooks: webhooks.map(({ id, type, step, status, body, subject: about }) => ({
      ...about,
      id,
      type,
      step,
      status,
      subject: idIn((JSON.parse(body) as { data?: unknown }).data),
    })),
    calls: (seen?.calls ?? []).map(({ operation, step, status = 0, answer, path, subject: about }) => ({
      ...about,
      operation,
      step,
      status,
      subject: /\/([a-z]+_[0-9A-Za-z]{8,})/.exec(path)?.[1] ?? idIn(parseForeign(answer ?? '')),
    })),
    returns: returnsIn(seen?.visits ?? [], steps),
    decisions: decisionsIn(seen, steps),
    clicks: (seen?.visits ?? []).filter(({ what }) => what === 'click').map(({ step }) => ({ step })),
    finalLooks: finalLooksOf(steps, seen?.looks ?? [], run),
    // Each run has a name of its own, which the runner fills in.
    known: [...new Set((seen?.violations ?? []).map(({ sameAs }) => sameAs.replaceAll(run, '${run}')))],
    payments: seen?.payments,
    tookMs: result.tookMs,
  }
}

type Seen = NonNullable<ScenarioResult['application']>

/** Each return once, though it may have been redirected. */
function returnsIn(visits: Seen['visits'], steps: StoryRecord['steps']): SeenReturn[] {
  const returns = visits.filter(({ what, isRedirect }) => what === 'return' && !isRedirect)
  return returns.map(({ payment = '', step }) => ({ payment, step, isUsed: isUsedLater(steps, step) }))
}

/** Whether a step uses what this one, or a step inside it, stored. */
function isUsedLater(steps: StoryRecord['steps'], at: number): boolean {
  const names = [...JSON.stringify(steps[at] ?? {}).matchAll(/"as":"(\w+)"/g)].map(([, name]) => name)
  const later = JSON.stringify(steps.slice(at))
  return names.some(name => later.includes(`\${${name}`))
}

const DECIDES = ['payer approves', 'payer declines', 'payer lets expire']

function decisionsIn(seen: Seen | undefined, steps: StoryRecord['steps']): SeenDecision[] {
  const returned = new Set(seen?.visits.map(({ payment }) => payment))
  return (seen?.decided ?? []).flatMap(({ payment, step }) => {
    const named = DECIDES.map(verb => steps[step]?.[verb]).find(value => typeof value === 'string')
    return typeof named !== 'string' || returned.has(payment) ? [] : [{ payment, step, named }]
  })
}

type Looks = Seen['looks']

/** The last `expect app` for each request, if it still holds at the end. */
function finalLooksOf(steps: StoryRecord['steps'], looks: Looks, run: string): FinalLook[] {
  const last = new Map<string, Looks[number]>()
  for (const look of looks) last.set(look.request, look)
  return [...last.values()].flatMap(({ path, stillHolds: isStillSo, step, tookMs }) => {
    if (!isStillSo) return []
    const [, at] = path
    const written = path.length === 2 && typeof at === 'number' ? steps[at] : undefined
    const look = written ?? unresolved(step, run)
    if (!look) return []
    const { as: _, note: __, ...rest } = look
    return [{ step: rest, tookMs }]
  })
}

/**
 * An `expect app` inside `repeat` or `parallel`, as a step of its own. Returns nothing if it contains an id of this
 * run.
 */
function unresolved(step: Readonly<Record<string, unknown>>, run: string) {
  const text = JSON.stringify(step).replaceAll(run, '${run}')
  return /\b[a-z]+_[0-9A-Za-z]{20,}/.test(text) ? undefined : (JSON.parse(text) as Record<string, unknown>)
}

const idIn = (value: unknown) => {
  const id = isRecord(value) ? value.id : undefined
  return typeof id === 'string' ? id : ''
}

/**
 * What the two plain runs did differently, in words. GET calls count once, because a polling application makes more or
 * fewer of them.
 */
export function differences(first: StoryRecord, second: StoryRecord): string[] {
  const [one, other] = withSameReferences(first, second)
  const found = referenceDifference(first, second)
  const compare = (what: string, a: readonly string[], b: readonly string[]) => {
    const [left, right] = [counted(a), counted(b)]
    for (const name of [...new Set([...left.keys(), ...right.keys()])].sort()) {
      const [x, y] = [left.get(name) ?? 0, right.get(name) ?? 0]
      if (x === y || (x > 0 && y > 0 && name.startsWith('GET '))) continue
      found.push(`${what} ${name}: ${times(x)} in the first run, ${times(y)} in the second`)
    }
  }
  compare('call', one.calls.map(callName), other.calls.map(callName))
  compare('webhook', one.webhooks.map(webhookName), other.webhooks.map(webhookName))
  return found
}

type Named = readonly [StoryRecord, StoryRecord]

/** Both runs without the references that only one of them has: such a record is found by its number alone. */
export function withSameReferences(one: StoryRecord, other: StoryRecord): Named {
  const [left, right] = [referencesIn(one), referencesIn(other)]
  const same = <T extends Subject>({ reference, ...item }: T) =>
    reference !== undefined && left.has(reference) && right.has(reference) ? { ...item, reference } : item
  const inOne = (story: StoryRecord) =>
    ({ ...story, calls: story.calls.map(same), webhooks: story.webhooks.map(same) }) as StoryRecord
  return [inOne(one), inOne(other)]
}

const referencesIn = ({ calls, webhooks }: StoryRecord) =>
  new Set([...calls, ...webhooks].flatMap(({ reference }) => reference ?? []))

function referenceDifference(one: StoryRecord, other: StoryRecord): string[] {
  const [left, right] = [referencesIn(one), referencesIn(other)]
  const only = [...left].filter(name => !right.has(name))
  const instead = [...right].filter(name => !left.has(name))
  if (only.length === 0 && instead.length === 0) return []
  const [a, b] = [only, instead].map(names => (names.length === 0 ? 'none' : names.slice(0, 2).join(', ')))
  return [`the merchant_reference of records, such as ${a} in the first run, and ${b} in the second`]
}

/** Whether accounts were used in turn, as by tests that run at the same time. */
export function isInterleaved({ calls }: StoryRecord): boolean {
  const accounts = calls.map(({ account }) => account)
  const turns = accounts.filter((account, at) => account !== accounts[at - 1])
  return turns.length > new Set(turns).size
}

const callName = ({ operation, status, ...subject }: SeenCall) => `${operation}${of(subject)} → ${status}`
const webhookName = ({ type, status, ...subject }: SeenWebhook) => `${type}${of(subject)} → ${status}`

/** What something is about, in words. */
export const of = ({ account, reference }: Subject) =>
  `${reference === undefined ? '' : ` for ${reference}`}${account === undefined ? '' : ` of ${account}`}`
const times = (count: number) => (count === 0 ? 'not' : count === 1 ? 'once' : `${count} times`)

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** What both plain runs have in common: an application that polls makes more or fewer calls. */
export function common(one: StoryRecord, other: StoryRecord): StoryRecord {
  const looks = new Set(other.finalLooks.map(({ step }) => JSON.stringify(step)))
  const [times, otherTimes] = [one, other].map(({ calls }) =>
    counted(calls.map(({ operation }) => operation)),
  )
  const isPolled = (operation: string) =>
    operation.startsWith('GET ') && times?.get(operation) !== otherTimes?.get(operation)
  return {
    ...one,
    webhooks: inBoth(one.webhooks, other.webhooks, ({ type, ...subject }) => `${type}${of(subject)}`),
    calls: inBoth(one.calls, other.calls, ({ operation, step, ...subject }) =>
      isPolled(operation) ? `${step} ${operation}${of(subject)}` : `${operation}${of(subject)}`,
    ),
    returns: inBoth(one.returns, other.returns, ({ step }) => String(step)),
    decisions: inBoth(one.decisions, other.decisions, ({ step }) => String(step)),
    clicks: inBoth(one.clicks, other.clicks, ({ step }) => String(step)),
    finalLooks: one.finalLooks.filter(({ step }) => looks.has(JSON.stringify(step))),
    known: [...new Set([...one.known, ...other.known])],
    payments: one.payments === other.payments ? one.payments : undefined,
  }
}

/**
 * The items that have the same name in both runs, in order. What an application does by itself may come a step earlier
 * or later from run to run, so a disturbance must wait for it from the earlier step on.
 */
function inBoth<T extends { readonly step: number }>(
  one: readonly T[],
  other: readonly T[],
  nameOf: (item: T) => string,
): T[] {
  const steps = new Map<string, number[]>()
  for (const item of other) {
    const known = steps.get(nameOf(item))
    if (known) known.push(item.step)
    else steps.set(nameOf(item), [item.step])
  }
  return one.flatMap(item => {
    const step = steps.get(nameOf(item))?.shift()
    return step === undefined ? [] : [{ ...item, step: Math.min(item.step, step) }]
  })
}
