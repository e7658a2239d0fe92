import { setTimeout as pause } from 'node:timers/promises'
import { parseDuration } from '../../contract/durations.ts'
import { matches } from '../run/match.ts'
import { type ListExpectation, matchList } from '../run/match-list.ts'
import type { Webhook } from '../run/receiver.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { Handlers } from './handlers.ts'
import { historyOf } from './history.ts'

type ListStep = ListExpectation & { readonly within?: string }

interface Source {
  /** What the items are, in words. */
  readonly subject: string
  /** The member that a word alone stands for. */
  readonly key: string
  readonly fetch: (stage: Stage) => Promise<readonly unknown[]>
}

/** The log has the newest first, a story the oldest; and what the story itself asked the control surface is none of it. */
const CONTROL = '/_paysim/'
const requestsOf = async (stage: Stage) => (await stage.simulated.control.requests()).reverse()

const SOURCES = {
  'expect webhooks': {
    subject: 'webhooks',
    key: 'type',
    fetch: async stage => [...stage.simulated.inbox.received],
  },
  'expect provider calls': {
    subject: 'provider calls',
    key: 'call',
    fetch: async stage => stage.simulated.control.providerCalls(),
  },
  'expect deliveries': {
    subject: 'deliveries',
    key: 'event_type',
    fetch: async stage => stage.simulated.control.deliveries(),
  },
  'expect requests': {
    subject: 'requests',
    key: 'path',
    fetch: async stage => (await requestsOf(stage)).filter(({ path }) => !path.startsWith(CONTROL)),
  },
  'expect timers': {
    subject: 'timers',
    key: 'type',
    fetch: async stage =>
      (await stage.simulated.control.timers()).map(timer => ({
        type: timer.command.type,
        ...timer,
      })),
  },
} satisfies Record<string, Source>

/** How long a real clock gives what was set going before it is called missing. */
const PATIENCE = '5s'
const GLANCE_MS = 50

async function lookThrough(
  step: ListStep,
  filter: unknown,
  source: Source,
  stage: Stage,
): Promise<StepResult> {
  await stage.settle()
  const deadline = Date.now() + (parseDuration(step.within ?? PATIENCE) ?? 0)
  for (;;) {
    const list = (await source.fetch(stage)).filter(
      item => filter === 'all' || matches(wordIn(filter, source.key), item),
    )
    const { mismatches, spokenOf } = matchList(list, step, source.key, source.subject)
    for (const item of spokenOf) stage.tracker.expected.add(item as Webhook)
    if (mismatches.length === 0 || stage.virtual || Date.now() >= deadline) return { value: list, mismatches }
    await pause(GLANCE_MS)
  }
}

const wordIn = (filter: unknown, key: string) => (typeof filter === 'string' ? { [key]: filter } : filter)

export const LISTS: Pick<
  Handlers,
  | 'expect webhooks'
  | 'expect provider calls'
  | 'expect history'
  | 'expect deliveries'
  | 'expect requests'
  | 'expect timers'
> = {
  'expect webhooks': (step, stage) =>
    lookThrough(asList(step), step['expect webhooks'], SOURCES['expect webhooks'], stage),
  'expect provider calls': (step, stage) =>
    lookThrough(asList(step), step['expect provider calls'], SOURCES['expect provider calls'], stage),
  'expect deliveries': (step, stage) =>
    lookThrough(asList(step), step['expect deliveries'], SOURCES['expect deliveries'], stage),
  'expect requests': (step, stage) =>
    lookThrough(asList(step), step['expect requests'], SOURCES['expect requests'], stage),
  'expect timers': (step, stage) =>
    lookThrough(asList(step), step['expect timers'], SOURCES['expect timers'], stage),
  'expect history': async (step, stage) => {
    const id = step['expect history']
    const source: Source = { subject: 'history', key: 'type', fetch: () => historyOf(id, stage) }
    return { ...(await lookThrough(asList(step), 'all', source, stage)), subject: id }
  },
}

/** The schema knows the four by name; the matcher reads them as data. */
const asList = (step: object) => step as ListStep
