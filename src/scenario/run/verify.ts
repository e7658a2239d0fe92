import type { Mismatch } from '../expect/match.ts'
import type { Path } from '../load/path.ts'
import { CHECKS, type Check } from '../schema/file.ts'
import type { Stage } from './stage.ts'
import type { Use } from './tracker.ts'

/** What must be true at the end of a scenario. */
export async function verify(stage: Stage): Promise<Mismatch[]> {
  const wanted = stage.scenario.data.verify
  if (wanted === undefined) return []
  await stage.settle()
  const found: Mismatch[] = []
  for (const check of wanted === 'all' ? CHECKS : wanted) found.push(...(await CHECK[check](stage)))
  return found
}

const CHECK: Readonly<Record<Check, (stage: Stage) => Promise<Mismatch[]>>> = {
  rules: async stage => unused(await uses('rules', stage), 'matched no payment or payout'),
  faults: async stage => unused(await uses('faults', stage), 'matched no call or webhook'),
  intents: async stage => {
    const matched = (await uses('rules', stage)).reduce((sum, { used }) => sum + used, 0)
    const { control } = stage.simulated
    const [payments, payouts] = [await control.payments.list(), await control.payouts.list()]
    const all = payments.filter(({ route }) => route !== null).length + payouts.length
    return all === matched
      ? []
      : [miss(['verify'], 'intents', all, matched, `${all - matched} matched no rule of the file`)]
  },
  webhooks: async stage => {
    const { inbox } = stage.simulated
    return inbox.received
      .filter(webhook => !stage.tracker.expected.has(webhook))
      .map(({ type, id }) =>
        miss(['verify'], 'webhooks', 'an expectation', `${type} ${id}`, 'no step expected it'),
      )
  },
}

async function uses(kind: 'rules' | 'faults', stage: Stage): Promise<Use[]> {
  const { used } = await stage.simulated.control[kind].get()
  return stage.tracker.uses(kind, used)
}

const unused = (all: readonly Use[], why: string) =>
  all.filter(({ used }) => used === 0).map(({ path, what }) => miss(path, what, 'used', 'unused', why))

const miss = (path: Path, subject: string, expected: unknown, actual: unknown, why: string): Mismatch => ({
  path,
  subject,
  expected,
  actual,
  why,
})
