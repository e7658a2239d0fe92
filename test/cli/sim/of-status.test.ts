import { expect, test } from 'vitest'
import { driven } from '../../support/cli/sim.ts'

const { shop: newShop } = driven()

test('`sim payments list --status` shows only these, on full pages', async () => {
  const shop = await newShop()
  const ids: string[] = []
  for (const reference of ['a', 'b', 'c', 'd', 'e', 'f'])
    ids.push(String((await shop.pay({ merchant_reference: reference })).id))
  for (const at of [0, 2, 4]) await shop.control('POST', `/payments/${ids[at]}/succeed`)
  await shop.control('POST', `/payments/${ids[1]}/fail`)
  const listed = async (...words: string[]) => {
    const { code, stdout, stderr } = await shop.sim(['payments', 'list', '-o', 'csv', ...words])
    expect(code, stderr).toBe(0)
    const found = stdout.match(/pi_\w+/g) ?? []
    return { references: found.map(id => 'abcdef'[ids.indexOf(id)]).join(''), stderr }
  }
  expect(await listed('--status', 'succeeded')).toEqual({ references: 'eca', stderr: '' })
  const first = await listed('--status', 'succeeded', '--limit', '2')
  expect(first.references).toBe('ec')
  const [, cursor = ''] = /--cursor (\S+?),/.exec(first.stderr) ?? []
  expect(await listed('--status', 'succeeded', '--cursor', cursor)).toMatchObject({ references: 'a' })
  expect(await listed('--status', 'failed,pending', '--all')).toMatchObject({ references: 'fdb' })
  expect(await listed('--status', 'expired')).toMatchObject({ references: '' })
})

test('`sim payouts list --status` shows only these, and an unknown status is refused', async () => {
  const shop = await newShop()
  const recipient = { bank_code: 'bbl', holder_name: 'Ann', account_number: '1234567890' }
  for (const status of ['processing', 'failed'])
    await shop.control('POST', '/payouts', {
      body: { amount: '100', currency: 'THB', country: 'TH', merchant_reference: status, recipient, status },
    })
  const list = await shop.sim('payouts list --status failed -o json --query data[].merchant_reference')
  expect(list).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\[?\s*"failed"\s*\]?\n$/) })
  const refused = await shop.sim('payouts list --status fialed')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean failed?') })
})

test('`sim deliveries list` shows those of a span of time', async () => {
  const shop = await newShop()
  await shop.control('PUT', '/clock', { body: { mode: 'virtual' } })
  await shop.control('POST', '/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/' } })
  for (const reference of ['a', 'b', 'c']) {
    const { id } = await shop.pay({ merchant_reference: reference })
    await shop.control('POST', `/payments/${id}/succeed`)
    await shop.control('POST', '/clock/advance', { body: { by: '1h' } })
  }
  const [first, second, third] = (await shop.control('GET', '/webhook-deliveries')).body.data
  const listed = async (...words: string[]) =>
    (await shop.sim(['deliveries', 'list', '-o', 'csv', ...words])).stdout.match(/^dlv_\w+/gm) ?? []
  expect(await listed()).toEqual([first.id, second.id, third.id])
  expect(await listed('--created-after', second.created_at)).toEqual([second.id, third.id])
  const span = ['--created-after', first.created_at, '--created-before', third.created_at]
  expect(await listed(...span)).toEqual([first.id, second.id])
  const refused = await shop.sim('deliveries list --created-after yesterday')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('created_after') })
})
