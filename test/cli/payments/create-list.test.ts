import { expect, test } from 'vitest'
import { readLines } from '../../support/cli/formats.ts'
import { inTheSimulator } from '../../support/cli/worlds.ts'
import { clearFaults, putFaults } from '../../support/provider/faults.ts'

/** `--data` names a list: each line creates one record, once, however often the command runs. */

const HEAD = 'amount,merchant_reference,recipient.bank_code,recipient.holder_name,recipient.account_number'
const row = (reference: string, amount = '100', account = '1234567890') =>
  `${amount},${reference},bbl,"Jaidee, Somchai",${account}`
const PLACE = ['--currency', 'THB', '--country', 'TH']

inTheSimulator(world => {
  type Shop = Awaited<ReturnType<ReturnType<typeof world>['shop']>>
  const controlled = ({ test }: Shop) => ({
    env: {
      PAYSIM_CONTROL_URL: world().server.controlUrl,
      PAYSIM_CONTROL_TOKEN: world().server.controlToken,
      PAYSIM_ACCOUNT: test.id,
    },
  })
  const payouts = async (shop: Shop, file: string, ...more: string[]) =>
    shop.paysim(
      'sim payouts create -o jsonl',
      ['--data', world().place.path(file), ...more],
      controlled(shop),
    )
  const references = async (shop: Shop, kind: 'payments' | 'payouts') => {
    const { body } = await shop.control('GET', `/${kind}`)
    return body.data.map((record: { merchant_reference: string }) => record.merchant_reference).reverse()
  }

  test('creates a payout for each line of csv, in order, also for lines that say the same', async () => {
    const shop = await world().shop()
    const text = `\uFEFF${HEAD},note\r\n${row('a', '12.50 THB')},x\r\n\r\n${row('b', '"1,000.00 THB"')},\r\n${row('b', '"1,000.00 THB"')},\r\n`
    await world().place.write('payouts.csv', text)
    const { code, stdout, stderr } = await payouts(shop, 'payouts.csv', ...PLACE)
    expect(code, stderr).toBe(0)
    expect(readLines(stdout)).toMatchObject([
      { amount: '1250', merchant_reference: 'a', recipient: { holder_name: 'Jaidee, Somchai' } },
      { amount: '100000', merchant_reference: 'b' },
      { amount: '100000', merchant_reference: 'b' },
    ])
    expect(stderr).toContain('columns that are not sent: note')
    expect(stderr).toContain('3 of 3 were created.')
    expect(await references(shop, 'payouts')).toEqual(['a', 'b', 'b'])
  })

  test('reports the lines that are refused, makes the others, and makes nothing twice when it runs again', async () => {
    const shop = await world().shop()
    const first = [HEAD, row('a'), row('b', '100', '12'), row('c')]
    await world().place.write('again.csv', first.join('\n'))
    const refused = await payouts(shop, 'again.csv', ...PLACE)
    expect(refused.code, refused.stderr).toBe(2)
    expect(refused.stderr).toMatch(/again\.csv:3: recipient\.account_number .*\n2 of 3 were created\./)
    // One line is corrected, one is new, and the others have moved.
    await world().place.write('again.csv', [HEAD, row('new'), row('a'), row('b'), row('c')].join('\n'))
    const { code, stdout, stderr } = await payouts(shop, 'again.csv', ...PLACE)
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('4 of 4 were created, 2 of them by an earlier run.')
    expect(readLines(stdout)).toHaveLength(4)
    expect(await references(shop, 'payouts')).toEqual(['a', 'c', 'new', 'b'])
    // Another list, or another key, means them once more.
    await payouts(shop, 'again.csv', ...PLACE, '--idempotency-key', 'second batch')
    expect(await references(shop, 'payouts')).toHaveLength(8)
  })

  test('an answer that is lost stops the list, and the next run makes that payment no second time', async () => {
    const shop = await world().shop()
    const lines = ['a', 'b', 'c', 'd'].map(reference => JSON.stringify({ merchant_reference: reference }))
    await world().place.write('orders.jsonl', lines.join('\n'))
    const create = () =>
      shop.paysim('payments create -o jsonl --retries 0 --amount 10000', [
        ...['--data', world().place.path('orders.jsonl')],
        ...PLACE,
      ])
    await putFaults(shop, { on: 'POST /payment_intents', nth: 3, type: 'reset', when: 'after_commit' })
    const lost = await create()
    expect(lost.code, lost.stderr).toBe(7)
    expect(readLines(lost.stdout)).toMatchObject([{ merchant_reference: 'a' }, { merchant_reference: 'b' }])
    expect(lost.stderr).toContain('orders.jsonl:3: 2 of 4 were created.')
    await clearFaults(shop)
    const { code, stderr } = await create()
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('4 of 4 were created, 3 of them by an earlier run.')
    expect(await references(shop, 'payments')).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a line that no route takes stops no other', async () => {
    const shop = await world().shop()
    const lines = [{ payment_method: 'nosuch', checkout_mode: 'merchant' }, {}]
    const text = lines
      .map((line, at) => JSON.stringify({ ...line, merchant_reference: `o-${at}` }))
      .join('\n')
    const file = await world().place.write('routes.jsonl', text)
    const { code, stderr } = await shop.paysim('payments create --amount 10000', ['--data', file, ...PLACE])
    expect(code, stderr).toBe(6)
    expect(stderr).toMatch(
      /routes\.jsonl:1: payment_method .*\(payment_configuration_unavailable\)\n1 of 2 were/,
    )
    expect(await references(shop, 'payments')).toEqual(['o-1'])
  })

  test.each([
    ['unclosed.csv', `${HEAD}\n${row('a')}\n1,"b`, /unclosed\.csv:\d+: is not CSV: /],
    ['short.csv', `${HEAD}\n${row('a')}\n1,b\n`, /short\.csv:3: is not CSV: /],
    [
      'names.csv',
      `${HEAD.replace('recipient.holder_name', 'holder_name')}\n`,
      /:1: unknown column holder_name; did you mean recipient\.holder_name\?/,
    ],
    ['twice.csv', `${HEAD},amount\n`, /:1: the column amount is there twice/],
    ['amounts.csv', `${HEAD}\n${row('a', '12.50')}\n${row('b', '1 USD')}\n`, /:2: "12\.50" is not an amount/],
    ['empty.csv', `${HEAD}\n`, /has no line/],
    ['lacking.csv', `${HEAD}\n${row('a')}\n${row('')}\n`, /:3: give --merchant-reference or its column/],
    ['broken.jsonl', '{"amount":"1"}\n{"amount"\n[]\n', /:2: is not JSON[\s\S]*:3: is not an object/],
    ['none.csv', undefined, /cannot read/],
  ])('%s is refused before anything is made', async (name, text, told) => {
    const shop = await world().shop()
    if (text !== undefined) await world().place.write(name, text)
    const { code, stdout, stderr } = await payouts(shop, name, ...PLACE)
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(told)
    expect(await references(shop, 'payouts')).toEqual([])
  })

  test('a list needs its keys, and there is one list at a time', async () => {
    const shop = await world().shop()
    const file = await world().place.write('one.jsonl', '{"merchant_reference":"a"}')
    for (const more of [['--no-idempotency-key'], ['--data', file]]) {
      const run = await shop.paysim('payments create --amount 10000', ['--data', file, ...PLACE, ...more])
      expect(run.code, run.stderr).toBe(2)
    }
    expect(await shop.requests()).toEqual([])
  })

  test('one payout takes an amount as people write it, and a key', async () => {
    const shop = await world().shop()
    const one = () =>
      shop.paysim(
        'sim payouts create -o json --idempotency-key k --country TH --merchant-reference x --bank bbl --holder Ann',
        ['--account-number', '1234567890', '--amount', '12.50 THB'],
        controlled(shop),
      )
    const [first, again] = [await one(), await one()]
    expect(JSON.parse(first.stdout)).toMatchObject({ amount: '1250', currency: 'THB' })
    expect(again.stdout).toBe(first.stdout)
    expect(await references(shop, 'payouts')).toEqual(['x'])
  })
})
