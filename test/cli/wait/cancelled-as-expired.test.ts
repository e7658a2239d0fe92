import { expect, test } from 'vitest'
import { inEachWorld } from '../../support/cli/worlds.ts'

/** Of the two worlds, one ends a cancelled payment as expired, without a code: its contract is what tells. */
inEachWorld(world => {
  test('--until cancelled depends on how the server ends a cancelled payment', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    expect(await shop.paysim(`payments cancel ${id}`)).toMatchObject({ code: 0 })
    await shop.advance('5s')
    const { code, stdout, stderr } = await shop.paysim(`payments wait ${id} --until cancelled --query status`)
    const isExpired = world().second !== undefined
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: isExpired ? 'expired\n' : 'failed\n' })
    expect(stderr).toMatch(
      isExpired ? /its status is expired by the contract of this server/ : /its status is failed\.\n/,
    )
  })

  test('without a contract, an expired payment does not count as cancelled', async ({ skip }) => {
    if (world().second === undefined) return skip('here a cancelled payment has failed, and says why')
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    await shop.control('POST', `/payments/${id}/expire`, { body: {} })
    const run = await world().place.paysim(['payments', 'wait', id, '--until', 'cancelled'], {
      env: shop.env,
    })
    expect(run).toMatchObject({ code: 9 })
    expect(run.stderr).toContain('payment.after_cancel: expired')
  })
})
