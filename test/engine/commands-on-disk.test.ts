import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Command } from '../../src/domain/commands.ts'
import type { Account } from '../../src/engine/account/account.ts'
import { aRoute } from '../support/domain/decisions.ts'
import { accountOnDisk } from '../support/engine/account-on-disk.ts'
import { anAccount } from '../support/engine/accounts.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { dump } from '../support/model/world-dump.ts'

const HOUR = 3_600_000
const image = { digest: 'a'.repeat(64), size: 3, contentType: 'image/png' }
const result = { error: null, retryAfterMs: null, body: '', timestamp: 0, signature: '' }
const catalogue = {
  providers: [{ id: 'siam' }],
  methods: [{ code: 'transfer', label: 'Transfer', category: 'bank_transfer' }],
  routes: [aRoute({ receipt: 'required' })],
}

const which = fc.nat(3)
const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('create' as const), key: fc.nat(2), hasMethod: fc.boolean() }),
    fc.record({
      does: fc.constant('move' as const),
      which,
      trigger: fc.constantFrom(
        'succeed' as const,
        'fail' as const,
        'expire' as const,
        'accept-receipt' as const,
      ),
    }),
    fc.record({ does: fc.constant('choose' as const), which }),
    fc.record({ does: fc.constant('cancel' as const), which }),
    fc.record({ does: fc.constant('receipt' as const), which, asset: which }),
    fc.record({ does: fc.constant('asset' as const) }),
    fc.record({ does: fc.constant('payout' as const) }),
    fc.record({
      does: fc.constant('move-payout' as const),
      which,
      trigger: fc.constantFrom('approve' as const, 'succeed' as const, 'cancel' as const),
    }),
    fc.record({ does: fc.constant('endpoint' as const) }),
    fc.record({ does: fc.constant('remove-endpoint' as const), which }),
    fc.record({
      does: fc.constant('attempt' as const),
      which,
      attempt: fc.integer({ min: 1, max: 2 }),
      status: fc.constantFrom(200, 500, 410),
    }),
    fc.record({ does: fc.constant('redeliver' as const), which }),
    fc.record({ does: fc.constant('wait' as const), hours: fc.constantFrom(0, 1, 25) }),
  ),
  { minLength: 10, maxLength: 40, size: 'max' },
)
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never

/** What happens too seldom by chance: records that wait for something end, and their timers with them. */
const EXAMPLES: [Step[]][] = [
  [
    [
      { does: 'endpoint' },
      { does: 'create', key: 0, hasMethod: true },
      { does: 'move', which: 0, trigger: 'succeed' },
      { does: 'attempt', which: 0, attempt: 1, status: 500 },
      { does: 'redeliver', which: 0 },
      { does: 'attempt', which: 1, attempt: 1, status: 500 },
      { does: 'remove-endpoint', which: 0 },
    ],
  ],
  [[{ does: 'payout' }, { does: 'move-payout', which: 0, trigger: 'approve' }]],
  [
    [
      { does: 'asset' },
      { does: 'create', key: 1, hasMethod: true },
      { does: 'receipt', which: 0, asset: 0 },
      { does: 'create', key: 1, hasMethod: true },
      { does: 'move', which: 0, trigger: 'accept-receipt' },
      { does: 'wait', hours: 25 },
      { does: 'create', key: 1, hasMethod: true },
    ],
  ],
]

/** The command of a step, with the ids of earlier records. */
function commandOf(step: Step, { world, clock, now }: Account, number: number): Command | undefined {
  const pick = (all: Iterable<string>, nth: number) => {
    const ids = [...all]
    return ids[nth % Math.max(1, ids.length)] ?? 'none'
  }
  const idsOf = (records: Iterable<[string, unknown]>) => [...records].map(([id]) => id)
  const payment = (nth: number) => pick(idsOf(world.payments), nth)
  const base = { amount: '5000', currency: 'THB', country: 'TH' }
  switch (step.does) {
    case 'create': {
      const request = { ...base, customer: {}, ...(step.hasMethod ? { payment_method: 'transfer' } : {}) }
      const key = { scope: `key ${step.key}`, fingerprint: `${step.hasMethod}`, requestId: `${number}` }
      return { type: 'CreatePayment', request, ...(step.key > 0 ? { idempotency: key } : {}) }
    }
    case 'move':
      return { type: 'MovePayment', payment: payment(step.which), trigger: step.trigger }
    case 'choose':
      return {
        type: 'ChooseMethod',
        payment: payment(step.which),
        method: 'transfer',
        options: {},
        customer: {},
      }
    case 'cancel':
      return { type: 'RequestCancel', payment: payment(step.which) }
    case 'asset':
      return { type: 'StoreAsset', kind: 'payment_receipt', image }
    case 'receipt':
      return {
        type: 'SubmitReceipt',
        payment: payment(step.which),
        image: { asset: pick(idsOf(world.assets), step.asset) },
      }
    case 'payout': {
      const recipient = { bankCode: 'SCB', holderName: 'Somchai', accountNumber: '12345678' }
      const payout = {
        ...base,
        merchantReference: 'a',
        recipient,
        status: 'requires_approval',
        createdAt: null,
      } as const
      return { type: 'CreatePayout', payout }
    }
    case 'move-payout':
      return { type: 'MovePayout', payout: pick(idsOf(world.payouts), step.which), trigger: step.trigger }
    case 'endpoint':
      return { type: 'AddEndpoint', url: 'http://127.0.0.1:1/', events: ['*'] }
    case 'remove-endpoint':
      return { type: 'RemoveEndpoint', endpoint: pick(world.endpoints.keys(), step.which) }
    case 'attempt':
      return {
        type: 'RecordAttempt',
        delivery: pick(idsOf(world.deliveries), step.which),
        attempt: step.attempt,
        result: { ...result, status: step.status },
      }
    case 'redeliver':
      return { type: 'Redeliver', delivery: pick(idsOf(world.deliveries), step.which) }
    case 'wait':
      return { type: 'SetClock', clock: clock.change({ mode: 'virtual', at: now + step.hours * HOUR }) }
  }
}

test('whatever is on disk, a command does what it does in memory', async () => {
  const read = { count: 0 }
  await fc.assert(
    fc.asyncProperty(steps, async given => {
      const inMemory = anAccount()
      const onDisk = await accountOnDisk(await temporaryDirectory())
      const { account, journal, checkpoints } = onDisk
      const first: Command[] = [
        { type: 'SetClock', clock: inMemory.clock.change({ mode: 'virtual', at: inMemory.now }) },
        { type: 'ReplaceCatalogue', catalogue },
        {
          type: 'ReplaceRules',
          rules: [{ approval: { after: '1h' } }, { receipt: [{ after: '1h', verdict: 'accept' }] }],
        },
      ]
      const both = async (command: Command) => {
        const right = inMemory.execute(command, 'operator')
        const outcome = account.carryOut(command, 'operator')
        if (outcome instanceof Promise) read.count++
        expect(await outcome).toEqual(right)
        await inMemory.catchUp()
        await account.catchUp()
        // Now everything is on disk, and nothing is in memory.
        await journal.durable(account.world.seq)
        await checkpoints?.begin()
        await checkpoints?.idle()
        return right
      }
      try {
        for (const command of first) expect(await both(command)).toHaveProperty('id')
        for (const [number, step] of given.entries()) {
          const command = commandOf(step, inMemory, number)
          if (command) await both(command)
        }
        expect(await dump(account.world)).toEqual(await dump(inMemory.world))
      } finally {
        await account.close()
      }
    }),
    { seed: 32, numRuns: 6, endOnFailure: true, examples: EXAMPLES },
  )
  // The examples alone have eight of these; without any, it would not have tested what it says.
  expect(read.count).toBeGreaterThan(4)
})
