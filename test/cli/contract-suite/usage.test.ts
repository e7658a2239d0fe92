import { expect, test } from 'vitest'
import { by } from '../../support/cli/orders.ts'
import type { Shop } from '../../support/cli/shop.ts'
import { inTheSimulator } from '../../support/cli/worlds.ts'

/** What is wrong, and what must be in the words that say so. */
const SLIPS: readonly (readonly [words: string, args: readonly string[], told: string])[] = [
  ['methods list --amuont 15000', [], '--amount'],
  ['payments create --amuont 15000', [], '--amount'],
  ['payments get pi_1 --qurey id', [], '--query'],
  ['payments wait pi_1 --timout 1s', [], '--timeout'],
  ['payments cancel pi_1 --idempotency-kye k', [], '--idempotency-key'],
  ['payments submit-receipt pi_1 --flie slip.png', [], '--file'],
  ['payouts list --al', [], '--all'],
  ['payouts cancel po_1 --raeson twice', [], '--reason'],
  ['request GET /payment_intents/pi_1 --haeder a:b', [], '--header'],
  ['webhooks listen --forward-ot http://127.0.0.1:1', [], '--forward-to'],
  [
    'methods list',
    ['--amount', '15000', '--country', 'TH', '--currency', 'THB', '--checkout-mode', 'merchnat'],
    'merchant',
  ],
  ['payments create', by('probe_transfer', '--checkout-mode', 'hostde'), 'hosted'],
  ['payments create', by('probe_banks', '--option', 'bnak=alpha'), 'bank'],
  ['payments create', by('probe_banks', '--option', 'bank'), 'bank='],
  ['payments create', by('probe_transfer', '--amount', 'a lot'), '--amount'],
  ['payments create', by('probe_transfer', '--data', '{"amount": '), '--data'],
  ['payments create', by('probe_transfer', '--data', '["a list"]'), '--data'],
  ['payments create', by('probe_transfer', '--data', '@no-such-order.json'), 'no-such-order.json'],
  [
    'payments create',
    ['--no-input', '--amount', '15000', '--currency', 'THB', '--country', 'TH'],
    '--merchant-reference',
  ],
  ['payments wait pi_1 --until succeded', [], 'succeeded'],
  ['payouts list --status procesing,failed', [], 'processing'],
  ['payouts list --created-after yesterday', [], '--created-after'],
  ['payouts list --created-after 2026-01-01', [], '--created-after'],
  ['payouts list --limit 0', [], '--limit'],
  ['payouts list --limit 101', [], '100'],
  ['payments creat', [], 'create'],
  ['payments wait pi_1 --timeout soon', [], '--timeout'],
  ['payouts list -o jsno', [], 'json'],
  ['payouts list --query data[', [], '--query'],
  ['payouts list --request-timeout never', [], '--request-timeout'],
  ['payouts list --retries lots', [], '--retries'],
  ['payouts list --ca-file no-such.pem', [], 'no-such.pem'],
  ['payouts lits', [], 'list'],
  ['payments list', [], 'did you mean `paysim sim payments list`?'],
  ['clock', [], 'did you mean `paysim sim clock`?'],
  ['payment get pi_1', [], 'payments'],
  ['webhook listen', [], 'webhooks'],
]

inTheSimulator(world => {
  let opened: Promise<Shop> | undefined
  const shop = () => (opened ??= world().shop())

  test.each(SLIPS)('paysim %s %j', async (words, args, told) => {
    const { code, stdout, stderr } = await (await shop()).paysim(words, args)
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^paysim: (?![A-Z])/)
    expect(stderr).toContain(told)
    expect(await (await shop()).requests(), 'nothing is sent').toEqual([])
  })

  test('a state that is like none it knows is refused, and passed on only where that is wanted', async () => {
    const { paysim, requests } = await world().shop()
    expect(await paysim('payouts list --status on_hold')).toMatchObject({ code: 2, stdout: '' })
    expect(await requests(), 'nothing is sent').toEqual([])
    const { code, stderr } = await paysim('payouts list --status on_hold --any-status')
    expect(code, 'this server knows it no better').toBe(2)
    expect(stderr).toMatch(/validation_failed/)
    expect(await requests()).toEqual(['GET /payout_intents?status=on_hold'])
  })

  test('a contract that no server could have is refused', async () => {
    const shop = await world().shop()
    const file = await world().place.write('odd.json', '{"create.pth": "/payments"}')
    const { code, stdout, stderr } = await world().place.paysim(['payouts', 'list', '--contract', file], {
      env: shop.env,
    })
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('create.path')
  })

  test('without keys, or with half of them, it says so and sends nothing', async () => {
    const shop = await world().shop()
    const list = (args: string[], env: Record<string, string>) =>
      world().place.paysim(['payouts', 'list', ...args, ...world().flags], {
        env: { PAYSIM_BASE_URL: world().url, ...env },
      })
    const runs = await Promise.all([
      list([], {}),
      list([], { PAYSIM_PUBLIC_KEY: shop.test.public_key }),
      list(['--key-file', '-'], {}),
      list(['--key-file', world().place.path('nowhere')], {}),
      list(['--key-file', await world().place.write('noise', 'not keys at all')], {}),
    ])
    for (const { code, stdout, stderr } of runs)
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(await shop.requests()).toEqual([])
  })

  test('keys are never arguments', async () => {
    const shop = await world().shop()
    const flags = ['--secret-key', '--public-key', '--key', '--api-key']
    const runs = await Promise.all(flags.map(flag => shop.paysim('payouts list', [flag, 'sk_test_x'])))
    expect(runs.map(({ code }) => code)).toEqual(flags.map(() => 2))
    const help = await shop.paysim('payouts list --help')
    expect(help.stdout).not.toMatch(/--(?:secret|public|api)-key|--key </)
  })
})
