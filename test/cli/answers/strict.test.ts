import { expect, onTestFinished, test } from 'vitest'
import { ApiError, UnexpectedAnswerError } from '../../../src/client/index.ts'
import { by } from '../../support/cli/orders.ts'
import { openSite } from '../../support/cli/site.ts'
import { inTheSimulator } from '../../support/cli/worlds.ts'
import { clientFor, refusal } from '../../support/client/client.ts'

/** `--strict` holds each answer against the whole contract, whichever way the server decided what is open. */

inTheSimulator(world => {
  test('the simulator keeps to its own contract in every call', async () => {
    const shop = await world().shop()
    await shop.payout('first')
    const { id: payout } = await shop.payout('second')
    const [transfer, receipt, qr] = await Promise.all([
      shop.pay('probe_transfer'),
      shop.pay('probe_receipt'),
      shop.pay('probe_qr'),
    ])
    const runs = await Promise.all([
      shop.paysim('payments create --strict', by('probe_transfer')),
      shop.paysim(`payments get ${transfer.id} --strict`),
      shop.paysim(`payments get ${receipt.id} --strict`),
      shop.paysim(`payments get ${qr.id} --strict`),
      shop.paysim(`payments cancel ${transfer.id} --strict`),
      shop.paysim('payouts list --limit 1 --strict'),
      shop.paysim('payouts list --all --strict'),
      shop.paysim(`payouts cancel ${payout} --strict`),
      shop.paysim('methods list --amount 15000 --currency THB --country TH --strict'),
      shop.paysim(`request GET /payment_intents/${qr.id} --strict`),
      shop.paysim('request GET /payout_intents?limit=1 --strict'),
    ])
    for (const { code, stderr } of runs) expect(code, stderr).toBe(0)
    expect(await shop.paysim('payments get pi_none --strict')).toMatchObject({ code: 4 })
    expect(await shop.paysim('payouts list --cursor nonsense --strict')).toMatchObject({ code: 2 })
  })

  test('each difference from the contract is named, and the payment is not printed', async () => {
    const shop = await world().shop()
    const payment = await shop.pay('probe_transfer')
    const differing = [
      [{ x_more: 1 }, 'x_more is not a known key'],
      [{ amount: 15000 }, 'amount must be a string'],
      [{ amount: '-1' }, 'amount must be a positive integer'],
      [{ currency: undefined }, 'currency is required'],
      [{ status: 'on_hold' }, 'status must be one of'],
      [{ created_at: 'yesterday' }, 'created_at must be an RFC 3339'],
      [{ next_action: undefined }, 'next_action is required'],
      [{ next_action: { type: 'fax_it' } }, 'next_action.type must be one of'],
      [{ next_action: { ...payment.next_action, reference: 7 } }, 'next_action.reference must be a string'],
      [{ receipt: { status: 'rejected' } }, 'receipt.failure_code is required'],
      [{ processing_reason: 'manual' }, 'processing_reason '],
    ] as const
    for (const [change, told] of differing) {
      const url = await saying({ ...payment, ...change })
      const { message } = await refusal(strictly(url).payments.get(payment.id), UnexpectedAnswerError)
      expect(message).toContain(told)
      expect(await clientFor(url).payments.get(payment.id)).toMatchObject({ id: payment.id })
    }
    const env = { PAYSIM_BASE_URL: await saying({ ...payment, x_more: 1 }) }
    const strict = await shop.paysim(`payments get ${payment.id} -o json --strict`, [], { env })
    expect({ code: strict.code, stdout: strict.stdout }, strict.stderr).toEqual({ code: 7, stdout: '' })
    expect(strict.stderr).toContain('x_more is not a known key')
    const lenient = await shop.paysim(`payments get ${payment.id} -o json`, [], { env })
    expect(lenient.code, lenient.stderr).toBe(0)
  })

  test('every variant that the contract leaves open is accepted', async () => {
    const shop = await world().shop()
    const payment = await shop.pay('probe_qr')
    const { receipt: _, processing_reason: __, failure_code: ___, ...lean } = payment
    const env = { PAYSIM_BASE_URL: await saying(lean, 203) }
    expect(await shop.paysim(`payments get ${payment.id} --strict`, [], { env })).toMatchObject({ code: 0 })
    for (const next_cursor of [null, '', undefined]) {
      const list = { data: [], has_more: false, next_cursor }
      expect(await strictly(await saying(list)).payouts.list()).toMatchObject({ data: [] })
    }
    const method = {
      ...{ category: 'bank_transfer', code: 'new', label: 'New', next_action_types: ['display_qr_code'] },
      options: { payer: {} },
    }
    const options = { country: 'TH', currency: 'THB', environment: 'test', methods: [method] }
    const terms = { amount: '1', currency: 'THB', country: 'TH' }
    expect(await strictly(await saying(options)).methods.list(terms)).toMatchObject(options)
    const facts = { code: 'not_found', message: 'No such', details: [], request_id: 'req_1' }
    const problem = { type: 'about:blank', title: 'Not found', status: 404, detail: 'No such', ...facts }
    for (const body of [{ error: facts }, facts, problem]) {
      const { code } = await refusal(strictly(await saying(body, 404)).payments.get('pi_1'), ApiError)
      expect(code).toBe('not_found')
    }
  })

  test('a difference in an error is named too', async () => {
    const shop = await world().shop()
    const env = { PAYSIM_BASE_URL: await saying({ error: { code: 'not_found' } }, 404) }
    const { code, stderr } = await shop.paysim('payments get pi_1 --strict', [], { env })
    expect(code, stderr).toBe(7)
    expect(stderr).toContain('error.message is required')
  })
})

const strictly = (baseUrl: string) => clientFor(baseUrl, { strict: true })

async function saying(body: unknown, status = 200): Promise<string> {
  const { url, close } = await openSite((request, answer) => {
    request.resume()
    answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  onTestFinished(close)
  return url
}
