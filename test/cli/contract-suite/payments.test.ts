import { expect, test } from 'vitest'
import { by, ORDER } from '../../support/cli/orders.ts'
import type { Body, Shop } from '../../support/cli/shop.ts'
import { inEachWorld, inTheSimulator } from '../../support/cli/worlds.ts'
import { imageFile, multipart } from '../../support/http/multipart.ts'
import { jpeg, png } from '../../support/payments/receipt-images.ts'

/** What the account holds, with what the merchant API hides. */
async function payments(shop: Shop): Promise<Body[]> {
  return (await shop.control('GET', '/payments')).body.data
}

inEachWorld(world => {
  test('methods are listed for an amount, a mode and a provider', async () => {
    const shop = await world().shop()
    const list = async (...more: string[]) => {
      const args = ['--amount', '15000', '--country', 'TH', '--currency', 'THB', '-o', 'json', ...more]
      const { code, stdout, stderr } = await shop.paysim('methods list', args)
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout).methods.map((method: Body) => method.code)
    }
    const [hosted, merchant, pinned] = await Promise.all([
      list(),
      list('--checkout-mode', 'merchant'),
      list('--provider', 'zqprov-spare'),
    ])
    expect(hosted).toContain('probe_hosted_only')
    expect(hosted).not.toContain('probe_merchant_only')
    expect(merchant).toContain('probe_merchant_only')
    expect(merchant).not.toContain('probe_hosted_only')
    expect(pinned.sort()).toEqual(['probe_banks', 'probe_twice', 'th_mobile_banking'])
  })

  test('every field of a payment has a flag', async () => {
    const shop = await world().shop()
    const [form, hosted] = await Promise.all([
      shop.paysim('payments create -o json', [
        ...by('probe_form', '--customer-email', 'somchai@example.com'),
        ...['--option', 'bank=alpha', '--option', 'account_name=Somchai = Jaidee'],
        ...['--option', 'account_number=1234567890', '--option', 'name_th=สมชาย ใจดี'],
      ]),
      shop.paysim('payments create -o json', [
        ...['--amount', '20000', '--currency', 'THB', '--country', 'TH', '--merchant-reference', 'order-2'],
        ...['--customer-name', 'Somchai', '--return-url', 'https://shop.example/back?a=1&b=%20#done'],
      ]),
    ])
    expect(form.code, form.stderr).toBe(0)
    expect(hosted.code, hosted.stderr).toBe(0)
    expect(JSON.parse(hosted.stdout)).toMatchObject({
      checkout_mode: 'hosted',
      next_action: { type: 'redirect_to_url' },
    })
    const kept = await payments(shop)
    expect(kept.find(({ id }) => id === JSON.parse(form.stdout).id)).toMatchObject({
      amount: '15000',
      currency: 'THB',
      country: 'TH',
      checkout_mode: 'merchant',
      payment_method: 'probe_form',
      merchant_reference: 'order-1',
      customer: { name: 'Somchai Jaidee', phone: '+66812345678', email: 'somchai@example.com' },
      payment_method_options: {
        bank: 'alpha',
        account_name: 'Somchai = Jaidee',
        account_number: '1234567890',
        name_th: 'สมชาย ใจดี',
      },
    })
    expect(kept.find(({ merchant_reference }) => merchant_reference === 'order-2')).toMatchObject({
      amount: '20000',
      return_url: 'https://shop.example/back?a=1&b=%20#done',
    })
  })

  test('create sends the given key, or makes and prints one; the same key gives one payment', async () => {
    const shop = await world().shop()
    const create = (...more: string[]) =>
      shop.paysim('payments create -o json', by('probe_transfer', ...more))
    const first = await create()
    const told = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/.exec(first.stderr)?.[0]
    expect(told, first.stderr).toBeDefined()
    const again = await create('--idempotency-key', told ?? '')
    expect(again.stdout).toBe(first.stdout)
    const another = await create('--idempotency-key', 'another')
    expect(JSON.parse(another.stdout).id).not.toBe(JSON.parse(first.stdout).id)
    expect(await payments(shop)).toHaveLength(2)
  })

  test('create repeats a call with the same key when the answer is lost: there is one payment', async () => {
    const shop = await world().shop()
    const on = `POST ${world().createPath}`
    const faults = [
      { on, times: 1, type: 'reset', when: 'after_commit' },
      { on, times: 1, type: 'status', status: 503 },
    ]
    expect(await shop.control('PUT', '/faults', { body: { faults } })).toMatchObject({ status: 200 })
    const { code, stdout, stderr } = await shop.paysim('payments create -o json', by('probe_transfer'))
    expect(code, stderr).toBe(0)
    expect(await payments(shop)).toMatchObject([{ id: JSON.parse(stdout).id }])
    expect(await shop.requests()).toHaveLength(3)
  })

  test('a payment is cancelled when its provider confirms it', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const cancelled = await shop.paysim(`payments cancel ${id} -o json`)
    expect(cancelled.code, cancelled.stderr).toBe(0)
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ id, status: 'pending' })
    await shop.advance('5s')
    const ended = await shop.paysim(`payments wait ${id} --query status`)
    expect(ended).toMatchObject({ code: 9, stdout: world().second ? 'expired\n' : 'failed\n' })
  })

  test('a receipt is rejected, replaced by an asset, and accepted', async () => {
    const rules = [
      {
        receipt: [
          { after: '5s', verdict: 'reject', message: 'ไม่ชัด' },
          { after: '5s', verdict: 'accept' },
        ],
      },
    ]
    const shop = await world().shop({ rules })
    const { id } = await shop.pay('probe_receipt')
    const submit = (...args: string[]) => shop.paysim(`payments submit-receipt ${id} -o json`, args)

    const first = await submit('--file', await world().place.write('blurred.png', png(1)))
    expect(first.code, first.stderr).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({ id, receipt: { status: 'processing' } })
    expect(first.stderr, 'the key is told').toMatch(/[\da-f]{8}-[\da-f-]{27}/)
    await shop.advance('5s')
    const rejected = await shop.paysim(`payments get ${id}`)
    expect(rejected.stdout).toMatch(/rejected[\s\S]*ไม่ชัด/)

    const stored = await shop.control('POST', '/assets', multipart([imageFile(png(2))]))
    const second = await submit('--asset', stored.body.id)
    expect(second.code, second.stderr).toBe(0)
    await shop.advance('5s')
    expect((await shop.paysim(`payments get ${id} --query receipt.status`)).stdout).toBe('submitted\n')
  })
})

inTheSimulator(world => {
  test('flags take precedence over a file, and a file over stdin', async () => {
    const shop = await world().shop()
    const order = {
      ...BODY,
      merchant_reference: 'from stdin',
      customer: { name: 'From Stdin', email: 'in@example.com' },
    }
    const file = await world().place.write(
      'order.json',
      JSON.stringify({
        merchant_reference: 'from the file',
        customer: { name: 'From File', phone: '+66811111111' },
      }),
    )
    const create = (words: string, args: string[], input?: unknown) =>
      shop.paysim(`payments create -o json ${words}`, args, { input: input ? JSON.stringify(input) : '' })
    const runs = await Promise.all([
      create('--data -', [], order),
      create('--data', [
        `@${await world().place.write('whole.json', JSON.stringify({ ...BODY, merchant_reference: 'whole' }))}`,
      ]),
      create('--data', [JSON.stringify({ ...BODY, merchant_reference: 'inline' })]),
      create('--data -', ['--data', `@${file}`], order),
      create(
        '--data -',
        ['--data', `@${file}`, '--customer-name', 'From A Flag', '--merchant-reference', 'from a flag'],
        order,
      ),
    ])
    for (const { code, stderr } of runs) expect(code, stderr).toBe(0)
    const kept = await payments(shop)
    const customerOf = (reference: string) => kept.find(one => one.merchant_reference === reference)?.customer
    expect(customerOf('from stdin')).toEqual({ name: 'From Stdin', email: 'in@example.com' })
    expect(customerOf('whole')).toEqual(BODY.customer)
    expect(customerOf('inline')).toEqual(BODY.customer)
    expect(customerOf('from the file')).toEqual({
      name: 'From File',
      phone: '+66811111111',
      email: 'in@example.com',
    })
    expect(customerOf('from a flag')).toEqual({
      name: 'From A Flag',
      phone: '+66811111111',
      email: 'in@example.com',
    })
  })

  test('create converts an amount with a currency to minor units, and says so', async () => {
    const shop = await world().shop()
    const rest = ORDER.slice(2)
    const create = (...amount: string[]) =>
      shop.paysim('payments create --payment-method probe_transfer -o json', [...rest, '--amount', ...amount])
    const [said, minor, tooFine, another] = await Promise.all([
      create('1,234.50 THB'),
      create('123450'),
      create('1.234567 THB'),
      create('12.50 USD'),
    ])
    expect([said, minor, tooFine, another]).toMatchObject([
      { code: 0 },
      { code: 0 },
      { code: 2 },
      { code: 2 },
    ])
    expect([said, minor].map(({ stdout }) => JSON.parse(stdout).amount)).toEqual(['123450', '123450'])
    expect(said.stderr).toContain('123450')
    expect(minor.stderr).not.toContain('1,234.50')
    expect(await payments(shop)).toHaveLength(2)
  })

  test('submit-receipt does not send a file that every server would refuse', async () => {
    const shop = await world().shop()
    const { place } = world()
    const { id } = await shop.pay('probe_receipt')
    const submit = (...args: string[]) => shop.paysim(`payments submit-receipt ${id}`, args)
    const runs = await Promise.all([
      submit('--file', await place.write('slip.gif', Buffer.from('GIF89a…'))),
      submit('--file', await place.write('empty.png', '')),
      submit('--file', await place.write('large.jpg', Buffer.concat([jpeg(), Buffer.alloc(5_242_880)]))),
      submit('--file', place.path('nowhere.png')),
      submit('--file', place.path('slip.gif'), '--asset', 'ast_1'),
      submit(),
    ])
    for (const { code, stdout, stderr } of runs)
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(await shop.requests()).toEqual([`POST ${world().createPath}`])
  })
})

const BODY = {
  amount: '15000',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant',
  payment_method: 'probe_transfer',
  customer: { name: 'Somchai Jaidee' },
}
