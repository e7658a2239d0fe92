import { expect, test } from 'vitest'
import { inEachWorld } from '../../support/cli/worlds.ts'
import { png } from '../../support/payments/receipt-images.ts'

inEachWorld(world => {
  test('wait ends when the payment succeeds, and reports what changed on the way', async () => {
    const rules = [
      { receipt: [{ after: '5s', verdict: 'accept' }], outcome: { after: '30s', status: 'succeeded' } },
    ]
    const shop = await world().shop({ rules })
    const { id } = await shop.pay('probe_receipt')
    const waiting = shop.start(`payments wait ${id} -o json`)
    await waiting.says(/required/)
    const slip = await world().place.write('slip.png', png())
    expect(await shop.paysim(`payments submit-receipt ${id} --file`, [slip])).toMatchObject({ code: 0 })
    await waiting.says(/processing/)
    await shop.advance('1m')
    const { code, stdout, stderr } = await waiting.ended
    expect(code, stderr).toBe(0)
    expect(stdout).toBe(`${(await shop.text(`/payment_intents/${id}`)).trimEnd()}\n`)
    expect(JSON.parse(stdout)).toMatchObject({ id, status: 'succeeded', receipt: { status: 'submitted' } })
    expect(stderr).toMatch(/pending[\s\S]*succeeded/)
  })

  test('wait ends with 0, 9 or 8: as requested, in another status, or out of time', async () => {
    const shop = await world().shop()
    const [later, failing, still] = await Promise.all([
      shop.pay('probe_later'),
      shop.pay('probe_transfer'),
      shop.pay('probe_transfer'),
    ])
    const waits = [
      shop.start(`payments wait ${later.id} --until pending --query next_action.type`),
      shop.start(`payments wait ${failing.id} --query status`),
      shop.start(`payments wait ${still.id} --timeout 1s`),
    ]
    await Promise.all([waits[0]?.says(/processing/), waits[1]?.says(/pending/)])
    await shop.advance('10m')
    await shop.control('POST', `/payments/${failing.id}/fail`, { body: {} })
    expect(await Promise.all(waits.map(({ ended }) => ended))).toMatchObject([
      { code: 0, stdout: 'display_qr_code\n' },
      { code: 9, stdout: 'failed\n' },
      { code: 8 },
    ])
  })

  test('wait pauses as long as a busy server asks, and then asks again', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
    const faults = [{ on: '*', times: 1, type: 'status', status: 429, retry_after: '1s' }]
    await shop.control('PUT', '/faults', { body: { faults } })
    const { code, stderr } = await shop.paysim(`payments wait ${id} --verbose`)
    expect(code, stderr).toBe(0)
    const pause = Number(/retry in (\d+) ms/.exec(stderr)?.[1])
    expect(pause, stderr).toBeGreaterThanOrEqual(1000)
  })

  test('wait goes on through an unknown status', async ({ skip }) => {
    const { second } = world()
    if (!second) return skip('the simulator says nothing of the kind: the server in between does')
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    second.reshape = (call, body) =>
      call.includes(id) && body.status === 'pending' ? { ...body, status: 'under_review' } : body
    const waiting = shop.start(`payments wait ${id} -o json`)
    await waiting.says(/under_review/)
    await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
    expect(await waiting.ended).toMatchObject({ code: 0 })
  })
})
