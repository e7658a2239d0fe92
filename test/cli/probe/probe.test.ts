import { createServer, type RequestListener } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ProbeReport, probe, questionsOf, REQUESTS } from '../../../src/cli/probe/probe.ts'
import { DECISIONS, type Decision } from '../../../src/contract/decisions.ts'
import { resolveContract } from '../../../src/contract/resolve-contract.ts'
import { startSimulator } from '../../../src/library/start-simulator.ts'
import { openSite } from '../../support/cli/site.ts'
import { isLong } from '../../support/long-form.ts'

/** `paysim probe` learns the contract of a server, and nothing that is not so. */

const KEYS = { publicKey: 'pk_test_probe', secretKey: 'sk_test_probe_secret' }
const PATHS = ['/payment_intents', '/v2/payments', '/payment_intents/create']

/** The switches that a probe can find out, in the order of the register. */
const OBSERVABLE = Object.entries<Decision>(DECISIONS).filter(
  ([, { kind, unobservable }]) => kind !== 'constant' && unobservable === undefined,
)

const contracts = fc.record(
  Object.fromEntries(
    OBSERVABLE.map(([key, decision]) => [
      key,
      fc.constantFrom(...(decision.kind === 'choice' ? decision.values : PATHS)),
    ]),
  ),
)

interface Asked {
  readonly contract?: Readonly<Record<string, unknown>>
  readonly checkoutModes?: readonly ('hosted' | 'merchant')[]
  readonly allowWrites?: boolean
}

/** Probes a simulator with this contract, on a virtual clock that the pauses of the probe move. */
async function probeSimulator({ contract = {}, checkoutModes, allowWrites = true }: Asked) {
  const sim = await startSimulator({ contract, seed: 7 })
  try {
    const account = await sim.createAccount({
      clock: 'virtual',
      ...(checkoutModes === undefined ? {} : { checkoutModes }),
    })
    const report = await probe({
      baseUrl: sim.url,
      keys: account,
      allowWrites,
      createPath: resolveContract(contract)['create.path'],
      signal: new AbortController().signal,
      sleep: async ms => void (await account.clock.advance(`${ms}ms`)),
    })
    const { payments, requests } = account.control
    return { report, payments: await payments.list(), calls: await requests(), secretKey: account.secretKey }
  } finally {
    await sim.stop()
  }
}

describe('the register', () => {
  test('has a question for each switch, or the reason why nobody can ask', () => {
    const asked = new Set<string>([...questionsOf(true).map(({ key }) => key), 'payment.after_cancel'])
    for (const [key, { kind, unobservable }] of Object.entries<Decision>(DECISIONS))
      if (kind !== 'constant') expect([key, asked.has(key)]).toEqual([key, unobservable === undefined])
  })

  test('has questions whose requests exist, each request of which answers one', () => {
    const named = new Set(questionsOf(true).flatMap(({ requests }) => requests))
    expect([...named].sort()).toEqual(Object.keys(REQUESTS).sort())
  })
})

test('a contract is recovered from a simulator that has it', { timeout: 600_000 }, async () => {
  let [recovered, possible] = [0, 0]
  const property = fc.asyncProperty(contracts, async contract => {
    const { report } = await probeSimulator({ contract })
    const found = Object.entries(report.contract)
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(found.map(([key]) => [key, contract[key]])))
    expect(report.violations).toEqual([])
    recovered += found.length
    possible += OBSERVABLE.length
  })
  await fc.assert(property, { numRuns: isLong ? 200 : 3, seed: 36 })
  expect(recovered / possible).toBeGreaterThanOrEqual(0.95)
})
