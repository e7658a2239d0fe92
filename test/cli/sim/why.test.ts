import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { driven, type Shop } from '../../support/cli/sim.ts'
import { imageForm } from '../../support/payments/images.ts'

const { shop, paysim, server } = driven()

/** A receiver that answers with the status in the path. */
const receiver = createServer(({ url = '' }, answer) => answer.writeHead(Number(url.slice(1))).end())
let receiving: string
beforeAll(async () => {
  await new Promise<void>(listening => receiver.listen(0, '127.0.0.1', listening))
  receiving = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})
afterAll(() => receiver.close())

type Rules = readonly Record<string, unknown>[]
interface Situation {
  readonly rules?: Rules
  /** Makes the record. */
  readonly make: (its: Shop) => Promise<string | undefined>
  readonly says: RegExp
  readonly next?: Record<string, unknown> | null
}

const key = { 'idempotency-key': 'why' }
const receipt = (its: Shop, id: string | undefined) =>
  its.call('POST', `/payment_intents/${id}/receipt`, { raw: imageForm(1), headers: key })
const cancel = (its: Shop, id: string | undefined) =>
  its.call('POST', `/payment_intents/${id}/cancel-pending`, { body: {}, headers: key })
const hosted = { checkout_mode: 'hosted', payment_method: undefined, payment_method_options: undefined }
const qr = { payment_method: 'th_promptpay', payment_method_options: undefined }
const payment = async (its: Shop, more: Record<string, unknown>) => (await its.pay(more)).id
const payout = async (its: Shop, more: Record<string, unknown> = {}) => {
  const recipient = { bank_code: 'bbl', holder_name: 'Ann', account_number: '1234567890' }
  const money = { amount: '5000', currency: 'THB', country: 'TH', merchant_reference: 'r-1' }
  return (await its.control('POST', '/payouts', { body: { ...money, recipient, ...more } })).body.id
}
const delivery = async (its: Shop, status: number, faults: Rules = []) => {
  await its.control('PUT', '/faults', { body: { faults } })
  await its.control('POST', '/webhook-endpoints', { body: { url: `${receiving}/${status}` } })
  await its.control('POST', `/payments/${await payment(its, qr)}/succeed`)
  return (await its.control('GET', '/webhook-deliveries')).body.data[0].id
}
const later = (its: Shop, by: string) => its.control('POST', '/clock/advance', { body: { by } })

const SITUATIONS: Record<string, Situation> = {
  'a payment whose payer has not chosen': {
    rules: [{ name: 'all', outcome: 'manual' }],
    make: its => payment(its, hosted),
    says: /waits for the payer to choose .*the rule "all" will apply, whatever is chosen/,
    next: { at: null, by: 'payer' },
  },
  'a payment that no rule decides': {
    rules: [],
    make: its => payment(its, qr),
    says: /no rule matched it/,
    next: { at: null, by: 'payer' },
  },
  'a payment that its rule fails later': {
    rules: [{ name: 'poor', outcome: { after: '1h', status: 'failed', code: 'insufficient_funds' } }],
    make: its => payment(its, qr),
    says: /^At .* it fails, because the rule "poor" says so/,
    next: { by: 'timer', what: 'it fails' },
  },
  'a payment that failed by its rule': {
    rules: [{ name: 'poor', outcome: { after: '1h', status: 'failed', code: 'insufficient_funds' } }],
    make: async its => {
      const id = await payment(its, qr)
      await later(its, '1h')
      return id
    },
    says: /^It failed \(insufficient_funds: .*the rule "poor" says so/,
    next: null,
  },
  'a payment that ran out of time': {
    rules: [{ expiry: '1h' }],
    make: async its => {
      const id = await payment(its, qr)
      await later(its, '1h')
      return id
    },
    says: /^It expired: nothing ended it within its time limit/,
    next: null,
  },
  'a payment that somebody ended': {
    rules: [],
    make: async its => {
      const id = await payment(its, qr)
      await its.control('POST', `/payments/${id}/succeed`)
      return id
    },
    says: /^It succeeded: somebody decided so on the control surface/,
    next: null,
  },
  'a cancellation that its rule leaves open': {
    rules: [{ name: 'slow', cancel: 'manual' }],
    make: async its => {
      const id = await payment(its, {})
      await cancel(its, id)
      const { to_come } = (await its.control('GET', `/timeline/${id}`)).body
      expect(to_come).toContainEqual(expect.objectContaining({ kind: 'cancel', waits_for: 'person' }))
      return id
    },
    says: /asked to cancel it, and the rule "slow" leaves the provider's answer to you/,
    next: { at: null, by: 'operator' },
  },
  'a cancellation that will be confirmed': {
    rules: [],
    make: async its => {
      const id = await payment(its, {})
      await cancel(its, id)
      return id
    },
    says: /the provider answers that it is cancelled/,
    next: { by: 'timer' },
  },
  'a payment that needs a receipt': {
    rules: [],
    make: its => payment(its, {}),
    says: /waits for a receipt/,
    next: { at: null, by: 'merchant' },
  },
  'a receipt that is checked': {
    rules: [],
    make: async its => {
      const id = await payment(its, {})
      await receipt(its, id)
      return id
    },
    says: /receipt is being checked, and is accepted at/,
    next: { by: 'timer', what: 'the receipt is accepted' },
  },
  'a receipt whose verdict is left open': {
    rules: [{ name: 'eyes', receipt: 'manual' }],
    make: async its => {
      const id = await payment(its, {})
      await receipt(its, id)
      return id
    },
    says: /the rule "eyes" leaves the verdict to you/,
    next: { at: null, by: 'operator' },
  },
  'a payout that waits for its approval': {
    rules: [],
    make: its => payout(its),
    says: /approve or cancel it, because no rule matched it/,
    next: { at: null, by: 'operator' },
  },
  'a payout that succeeds later': {
    rules: [{ name: 'pay', match: { kind: 'payout' }, outcome: { after: '1h', status: 'succeeded' } }],
    make: its => payout(its, { status: 'processing' }),
    says: /being paid out; at .* it succeeds, because the rule "pay" says so/,
    next: { by: 'timer' },
  },
  'a delivery that is tried again': {
    make: async its => {
      const id = await delivery(its, 500)
      await later(its, '1s')
      return id
    },
    says: /^Attempt 1 did not succeed \(answered 500\)/,
    next: { by: 'timer' },
  },
  'a delivery that arrived': {
    make: async its => {
      const id = await delivery(its, 204)
      await later(its, '1s')
      return id
    },
    says: /answered attempt 1 with 204/,
    next: null,
  },
  'a delivery that a fault dropped': {
    make: its => delivery(its, 204, [{ on: 'webhook', type: 'drop' }]),
    says: /A fault dropped it/,
    next: null,
  },
  'a delivery to an endpoint that is gone': {
    make: async its => {
      const id = await delivery(its, 410)
      await later(its, '1s')
      return id
    },
    says: /answered 410, which disabled the endpoint/,
    next: null,
  },
  'a request with a name that nothing reads': {
    make: async its =>
      (await its.call('GET', '/payout_intents?status[]=failed')).headers.get('request-id') ?? '',
    says: /answered with 200\. Nothing read status\[\]\./,
    next: null,
  },
  'a request that was refused': {
    make: async its => (await its.call('GET', '/payment_intents/pi_none')).headers.get('request-id') ?? '',
    says: /no such record/,
    next: null,
  },
}

describe.each(Object.entries(SITUATIONS))('%s', (_, { rules, make, says, next }) => {
  const situation = async () => {
    const its = await shop({ clock: { mode: 'virtual', now: '2027-01-01T00:00:00Z' }, rules })
    const id = await make(its)
    const { status, body } = await its.control('GET', `/why/${id}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return { its, id, why: body as { sentence: string; next: unknown; commands: string[] } }
  }

  test('is explained, and each command works', async () => {
    const { its, id, why } = await situation()
    expect(why.sentence).toMatch(says)
    if (next) expect(why.next).toMatchObject(next)
    if (next === null) expect(why.next).toBeNull()
    const shown = await its.sim(['why', String(id)])
    expect(shown.stdout.replace(/\s+/g, ' ')).toContain(why.sentence)
    expect(why.commands.length).toBeGreaterThan(0)
    for (const nth of why.commands.keys()) {
      const again = await situation()
      const line = again.why.commands[nth] ?? ''
      const [program, ...words] = line.split(' ')
      expect(program).toBe('paysim')
      const env = { PAYSIM_CONTROL_URL: server().controlUrl, PAYSIM_CONTROL_TOKEN: server().controlToken }
      const run = await paysim(words, { env })
      if (words.includes('choose') && run.stderr.includes('unknown command')) {
        console.warn(`not run, because this binary has no command for the payer yet: ${line}`)
        continue
      }
      expect(run.code, `${line}\n${run.stderr}`).toBe(0)
    }
  })
})

describe('a command of the merchant says why, if it calls a simulator that is known here', () => {
  const merchant = async (control: boolean) => {
    const its = await shop({ clock: { mode: 'virtual' }, rules: [] })
    const env = {
      PAYSIM_BASE_URL: server().url,
      PAYSIM_PUBLIC_KEY: its.keys.public_key,
      PAYSIM_SECRET_KEY: its.keys.secret_key,
      ...(control
        ? { PAYSIM_CONTROL_URL: server().controlUrl, PAYSIM_CONTROL_TOKEN: server().controlToken }
        : {}),
    }
    return { id: (await payment(its, qr)) ?? '', env }
  }

  test('payments get', async () => {
    const { id, env } = await merchant(true)
    const { stdout } = await paysim(['payments', 'get', id], { env })
    expect(stdout).toContain('because no rule matched it.')
    expect(stdout).toContain(`paysim sim payments succeed ${id} --account merchant-`)
  })

  test('payments wait, when its time is over', async () => {
    const { id, env } = await merchant(true)
    const run = await paysim(['payments', 'wait', id, '--timeout', '100ms'], { env })
    expect(run.code).toBe(8)
    expect(run.stderr.replace(/\s+/g, ' ')).toContain(
      'for you to decide how it ends, because no rule matched it.',
    )
  })

  test('and shows the payment alone if it is not known', async () => {
    const { id, env } = await merchant(false)
    const run = await paysim(['payments', 'get', id], { env })
    expect(run.code).toBe(0)
    expect(run.stdout).not.toContain('because')
  })
})
