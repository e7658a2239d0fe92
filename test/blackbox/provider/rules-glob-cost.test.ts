import { expect, onTestFinished, test } from 'vitest'
import { accountOf } from '../../support/gateway/merchant.ts'
import { probeCatalogue } from '../../support/gateway/probe-catalogue.ts'
import { removeDirectory, startServer } from '../../support/gateway/server.ts'
import { decides, mark, putRules } from '../../support/provider/rules.ts'

// A server of its own, killed at the end: one that is caught in a match would not hear SIGTERM.
test('a glob with many stars does not block the server', async () => {
  const server = await startServer({ args: ['--ephemeral'] })
  onTestFinished(async () => {
    await server.kill()
    await removeDirectory(server.dataDir)
  })
  const made = await server.merchant({ clock: { mode: 'virtual' }, catalogue: probeCatalogue() })
  const account = accountOf(server, made.test)
  await putRules(account, mark('hit', { merchant_reference: `${'*a'.repeat(20)}b` }))
  expect(await decides(account, { merchant_reference: 'a'.repeat(200) })).toBeNull()
})
