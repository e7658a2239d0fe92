import { expect, test } from 'vitest'
import { by } from '../../support/cli/orders.ts'
import type { Shop } from '../../support/cli/shop.ts'
import { inEveryWorld } from '../../support/cli/worlds.ts'
import { png } from '../../support/payments/receipt-images.ts'

/** Whatever shape a server gives its errors: the code decides how the command ends, and the words are shown. */
inEveryWorld(world => {
  async function expectRefusal(
    shop: Shop,
    wanted: { code: number; told: string },
    words: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ) {
    const { code, stdout, stderr } = await shop.paysim(words, [...args, '-o', 'json'], { env })
    expect({ code, stdout }, stderr).toEqual({ code: wanted.code, stdout: '' })
    expect(stderr).toContain(wanted.told)
    expect(stderr, 'what to ask the server about').toMatch(/req_\w+/)
    return stderr
  }

  test('each refusal ends with its exit code, and shows the error code of the server', async () => {
    const shop = await world().shop()
    const [fixed, done, receipt] = await Promise.all([
      shop.pay('probe_fixed'),
      shop.pay('probe_transfer'),
      shop.pay('probe_receipt'),
    ])
    await shop.control('POST', `/payments/${done.id}/succeed`, { body: {} })
    const [one, other] = await Promise.all([
      world().place.write('one.png', png(1)),
      world().place.write('other.png', png(2)),
    ])
    const submit = `payments submit-receipt ${receipt.id} --idempotency-key slip --file`
    expect(await shop.paysim(submit, [one])).toMatchObject({ code: 0 })
    const unknownMethod = world().second
      ? { code: 2, told: 'validation_failed' }
      : { code: 6, told: 'payment_configuration_unavailable' }
    await Promise.all([
      expectRefusal(shop, { code: 2, told: 'validation_failed' }, 'payouts list --cursor nonsense'),
      expectRefusal(shop, { code: 3, told: 'unauthorized' }, 'payouts list', [], {
        PAYSIM_SECRET_KEY: 'sk_test_wrong',
      }),
      expectRefusal(shop, { code: 4, told: 'not_found' }, 'payments get pi_nobodys'),
      expectRefusal(shop, { code: 4, told: 'not_found' }, 'payouts cancel po_nobodys'),
      expectRefusal(shop, { code: 5, told: 'invalid_state' }, `payments cancel ${done.id}`),
      expectRefusal(
        shop,
        { code: 5, told: 'provider_capability_unsupported' },
        `payments cancel ${fixed.id}`,
      ),
      expectRefusal(shop, { code: 5, told: 'idempotency_conflict' }, submit, [other]),
      expectRefusal(shop, { code: 6, told: 'routing_unavailable' }, 'payments create', by('probe_sick')),
      expectRefusal(
        shop,
        { code: 6, told: 'payment_configuration_unavailable' },
        'payments create',
        by('probe_banks', '--option', 'bank=omega'),
      ),
      expectRefusal(shop, unknownMethod, 'payments create', by('probe_nothing')),
    ])
  })

  test('a checkout mode that the policy forbids ends with 3, and the message does not blame the keys', async () => {
    const shop = await world().shop({ checkout_modes: ['hosted'] })
    const message = await expectRefusal(
      shop,
      { code: 3, told: 'checkout_mode_not_allowed' },
      'payments create',
      by('probe_transfer'),
    )
    // The idempotency key is named on a line of its own, to repeat the call.
    const blame = message.replace(/^idempotency key \S+$/m, '')
    expect(blame).not.toMatch(/\bkeys?\b|credential|unauthori[sz]ed/i)
  })

  test('the answer of a proxy in between is shown, and ends the command with 1', async () => {
    const shop = await world().shop()
    const faults = [{ on: '*', type: 'status', status: 502, body: 'Bad \u001b[2J gateway' }]
    await shop.control('PUT', '/faults', { body: { faults } })
    const { code, stdout, stderr } = await shop.paysim('payouts list --retries 0')
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('502')
    expect(stderr).toContain('Bad')
    expect(stderr, 'nothing of it acts on the terminal').not.toContain('\u001b')
  })
})
