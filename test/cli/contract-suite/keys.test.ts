import { expect, test } from 'vitest'
import type { Shop } from '../../support/cli/shop.ts'
import { openWorkplace } from '../../support/cli/workplace.ts'
import { inEachWorld } from '../../support/cli/worlds.ts'

inEachWorld(world => {
  const place = () => ({ PAYSIM_BASE_URL: world().url })
  const pairOf = ({ test: keys }: Shop) => `${keys.public_key}:${keys.secret_key}`

  test('keys come from the environment, a file in any of its forms, or stdin', async () => {
    const shop = await world().shop()
    await shop.payout('refund-1')
    const { public_key, secret_key } = shop.test
    const list = (args: string[], env: Record<string, string> = {}, input = '') =>
      world().place.paysim(
        ['payouts', 'list', '--query', 'data[].merchant_reference', ...args, ...world().flags],
        { env: { ...place(), ...env }, input },
      )
    const file = (name: string, text: string) => world().place.write(name, text)
    const runs = await Promise.all([
      list([], shop.env),
      list(['--key-file', await file('pair', `${pairOf(shop)}\n`)]),
      list([
        '--key-file',
        await file('lines.env', `PAYSIM_PUBLIC_KEY=${public_key}\nPAYSIM_SECRET_KEY=${secret_key}\n`),
      ]),
      list(['--key-file', await file('keys.json', JSON.stringify({ public_key, secret_key }))]),
      list(['--key-file', '-'], {}, pairOf(shop)),
    ])
    for (const run of runs) expect(run).toMatchObject({ code: 0, stdout: 'refund-1\n' })
  })

  test('a profile has everything: address, keys and the decisions of the server', async () => {
    const shop = await world().shop()
    const own = await openWorkplace()
    try {
      const added = await own.paysim(
        ['profile', 'add', 'shop', '--base-url', world().url, '--key-file', '-', ...world().flags],
        { input: pairOf(shop) },
      )
      expect(added.code, added.stderr).toBe(0)
      expect(await own.paysim(['profile', 'use', 'shop'])).toMatchObject({ code: 0 })
      const order = [
        '--amount',
        '15000',
        '--currency',
        'THB',
        '--country',
        'TH',
        '--merchant-reference',
        'order-9',
      ]
      const made = await own.paysim([
        'payments',
        'create',
        ...order,
        '--customer-name',
        'Somchai',
        '-o',
        'json',
      ])
      expect(made.code, made.stderr).toBe(0)
      const { id } = JSON.parse(made.stdout)
      expect(await own.paysim(['payments', 'get', id, '--query', 'merchant_reference'])).toMatchObject({
        code: 0,
        stdout: 'order-9\n',
      })
      const shown = await own.paysim(['profile', 'show', 'shop'])
      expect(shown.stdout).toContain(shop.test.public_key)
      expect(await own.paysim(['profile', 'list'])).toMatchObject({ code: 0 })
    } finally {
      await own.close()
    }
  })
})
