import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { archiveOf } from '../../support/gateway/archive.ts'
import { openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'

test('serve --history 0s removes checkpointed entries, reports it, and refuses an export', async () => {
  const server = await ownServer({ args: ['--history', '0s'] })
  const account = await openAccount(server)
  // So many entries that a checkpoint closes the file that they are in.
  await succeeded(account.control('PUT', '/import', { body: archiveOf(17_000) }))
  const folder = join(server.dataDir, 'accounts', account.id, 'past-2')
  await expect.poll(async () => (await readdir(folder)).some(name => name === 'checkpoint.json')).toBe(true)
  const history = (id: string) => account.control('GET', `/history/${id}`)
  await expect
    .poll(async () => (await history('po_7')).body)
    .toEqual({
      data: [],
      kept_from: 17_001,
    })
  expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^journal-/))
  expect((await history('po_nobody')).status).toBe(404)

  const payment = await createPayment(account)
  expect(await rows(history(payment.id))).not.toHaveLength(0)
  expect(await account.read(payment.id)).toEqual(payment)
  const refused = await account.control('GET', '/export')
  expect(refused.status).toBe(422)
  expect(refused.body).toMatchObject({
    error: {
      code: 'invalid_state',
      message: expect.stringMatching(/The entries before 17001 .* --history all/),
    },
  })
})
