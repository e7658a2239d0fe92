import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { accountOnDisk, fillWith } from '../support/engine/account-on-disk.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { corpusFrom, type FileKind, fileKinds } from '../support/fuzz/files.ts'
import { chanceOf, FILES, forEachInput, INPUTS, repeat, WHOLE_MS } from '../support/fuzz/inputs.ts'
import { openAccount } from '../support/gateway/merchant.ts'
import { ownServer } from '../support/gateway/shared-server.ts'
import { createPayment } from '../support/payments/payments.ts'
import { addPayouts } from '../support/payments/payouts.ts'

/** A file is read in this time; a scenario with 30 steps takes a hundredth of it. */
const LONGEST_READ_MS = 1000

test('damaged files are read or refused in words', { timeout: WHOLE_MS }, async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  for (let at = 0; at < 3; at++) await account.trigger((await createPayment(account)).id, 'succeed')
  await addPayouts(account, 3)
  await server.stop()
  const folder = await mkdtemp(join(tmpdir(), 'paysim-fuzz-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const withPast = await temporaryDirectory()
  const filled = await accountOnDisk(withPast)
  await fillWith(filled, 11)
  await filled.account.close()
  const kinds = fileKinds(await corpusFrom(server.dataDir, account.id, withPast), folder)
  const [slow, quick] = [kinds.filter(({ isSlow }) => isSlow), kinds.filter(({ isSlow }) => !isSlow)]
  await mkdir(join(folder, 'paysim'))
  const { XDG_CONFIG_HOME: before } = process.env
  onTestFinished(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME
    else process.env.XDG_CONFIG_HOME = before
  })
  process.env.XDG_CONFIG_HOME = folder
  await forEachInput(Math.ceil(INPUTS * FILES), 1, async number => {
    const chance = chanceOf(number)
    const kind = chance.of(chance.is(0.03) ? slow : quick)
    const { input, read } = await kind.try(chance)
    const ms = await timed(read, kind, number, input)
    if (ms > LONGEST_READ_MS && (await timed(read, kind, number, input)) > LONGEST_READ_MS)
      throw new Error(`${kind.name} took ${Math.round(ms)} ms, ${repeat(number)}\n${input}`)
  })
})

async function timed(read: () => Promise<void>, { name }: FileKind, number: number, input: string) {
  // Time on the processor: a busy machine makes everything else longer.
  const from = process.cpuUsage()
  try {
    await read()
  } catch (cause) {
    throw new Error(`${name}, ${repeat(number)}\n${input.slice(0, 4000)}`, { cause })
  }
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}
