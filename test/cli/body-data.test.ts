import { expect, test } from 'vitest'
import { inTheSimulator } from '../support/cli/worlds.ts'
import { controlEnvironment } from '../support/webhooks/listening.ts'

// What `--data` may hold is the same wherever a body is taken by it.

const PAYMENT = {
  ...{ amount: '15000', currency: 'THB', country: 'TH', checkout_mode: 'hosted' },
  ...{ merchant_reference: 'order-1', customer: { name: 'Somchai' } },
}
const PAYOUT = {
  ...{ amount: '5000', currency: 'THB', country: 'TH', merchant_reference: 'refund-1' },
  recipient: { bank_code: 'bbl', holder_name: 'Somchai', account_number: '1234567890' },
}

inTheSimulator(world => {
  test('@file, file, JSON and stdin mean the same to every command that takes a body', async () => {
    const shop = await world().shop()
    const commands = [
      { words: 'payments create', body: PAYMENT },
      { words: 'request POST /payment_intents', body: PAYMENT },
      { words: `sim payouts create --account ${shop.test.id}`, body: PAYOUT },
    ]
    for (const [at, { words, body }] of commands.entries()) {
      const file = `body-${at}.json`
      await world().place.write(file, JSON.stringify(body))
      const ways: [string, string?][] = [
        [`@${file}`],
        [file],
        [world().place.path(file)],
        [JSON.stringify(body)],
        ['-', JSON.stringify(body)],
      ]
      const runs = await Promise.all(
        ways.map(([data, input]) =>
          shop.paysim(words, ['--data', data, '-o', 'json', '--query', 'merchant_reference'], {
            env: controlEnvironment(world()),
            ...(input === undefined ? {} : { input }),
          }),
        ),
      )
      expect(runs.map(({ stdout, stderr }) => stdout || stderr)).toEqual(
        ways.map(() => `"${body.merchant_reference}"\n`),
      )
    }
  })

  test('refuses what is neither JSON nor a file, and says how it was read', async () => {
    const shop = await world().shop()
    const runs = await Promise.all(
      [
        'payments create',
        'request POST /payment_intents',
        `sim payouts create --account ${shop.test.id}`,
      ].map(words => shop.paysim(words, ['--data', 'ordr.json'], { env: controlEnvironment(world()) })),
    )
    expect(runs).toMatchObject(runs.map(() => ({ code: 2, stdout: '' })))
    for (const { stderr } of runs)
      expect(stderr).toMatch(/cannot read ordr\.json \(--data\): .*not JSON is taken for a file name/)
    expect(await shop.requests()).toEqual([])
  })

  test('sends a body with another content type unchanged', async () => {
    const shop = await world().shop()
    const { stdout, code } = await shop.paysim('request POST /payment_intents --dry-run', [
      ...['--data', 'a=b&c', '-H', 'Content-Type: application/x-www-form-urlencoded'],
    ])
    expect(code).toBe(0)
    expect(stdout).toContain("--data-raw 'a=b&c'")
  })

  test('a currency and a country may be in lower case', async () => {
    const shop = await world().shop()
    const terms = ['--amount', '15000', '--currency', 'thb', '--country', 'th']
    const env = controlEnvironment(world())
    const [methods, created, payout] = await Promise.all([
      shop.paysim('methods list --query currency', terms),
      shop.paysim('payments create -o json', [
        ...terms,
        '--merchant-reference',
        'small',
        '--customer-name',
        'Jo',
      ]),
      shop.paysim(
        `sim payouts create --account ${shop.test.id} -o json`,
        [
          ...terms,
          ...['--merchant-reference', 'r', '--bank', 'bbl', '--holder', 'A', '--account-number', '12345'],
        ],
        { env },
      ),
    ])
    expect(methods).toMatchObject({ code: 0, stdout: 'THB\n' })
    expect(JSON.parse(created.stdout)).toMatchObject({ currency: 'THB', country: 'TH' })
    expect(JSON.parse(payout.stdout)).toMatchObject({ currency: 'THB', country: 'TH' })
    const listed = await shop.paysim('payouts list --currency thb --country th --query data[0].country', [], {
      env,
    })
    expect(listed).toMatchObject({ code: 0, stdout: 'TH\n' })
  })
})
