import { expect, test } from 'vitest'
import { inTheSimulator } from '../../support/cli/worlds.ts'

/** What ends before a server is asked, as a process. All other mistakes of that kind are in usage/mistakes.test.ts. */
inTheSimulator(world => {
  test('a mistake in the flags or in a command ends with 2, and nothing is sent', async () => {
    const { paysim, requests } = await world().shop()
    for (const [words, told] of [
      ['payments get pi_1 --qurey id', '--query'],
      ['payouts list --created-after yesterday', '--created-after'],
      ['payouts lits', 'list'],
    ] as const) {
      const { code, stdout, stderr } = await paysim(words)
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^paysim: (?![A-Z])/)
      expect(stderr).toContain(told)
    }
    expect(await requests()).toEqual([])
  })

  test('an unknown state is refused, and sent only with --any-status', async () => {
    const { paysim, requests } = await world().shop()
    expect(await paysim('payouts list --status on_hold')).toMatchObject({ code: 2, stdout: '' })
    expect(await requests(), 'nothing is sent').toEqual([])
    const { code, stderr } = await paysim('payouts list --status on_hold --any-status')
    expect(code, 'this server knows it no better').toBe(2)
    expect(stderr).toMatch(/validation_failed/)
    expect(await requests()).toEqual(['GET /payout_intents?status=on_hold'])
  })

  test('a contract with an unknown key is refused', async () => {
    const shop = await world().shop()
    const file = await world().place.write('odd.json', '{"create.pth": "/payments"}')
    const { code, stdout, stderr } = await world().place.paysim(['payouts', 'list', '--contract', file], {
      env: shop.env,
    })
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('create.path')
  })

  test('missing or incomplete keys are reported, and nothing is sent', async () => {
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

  test('no flag accepts a key', async () => {
    const shop = await world().shop()
    const flags = ['--secret-key', '--public-key', '--key', '--api-key']
    const runs = await Promise.all(flags.map(flag => shop.paysim('payouts list', [flag, 'sk_test_x'])))
    expect(runs.map(({ code }) => code)).toEqual(flags.map(() => 2))
    const help = await shop.paysim('payouts list --help')
    expect(help.stdout).not.toMatch(/--(?:secret|public|api)-key|--key </)
  })
})
