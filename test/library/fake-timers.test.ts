import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** A test that fakes its own time has a simulator beside it whose time goes on. */

const run = promisify(execFile)

const LIBRARY = JSON.stringify(resolve('dist/index.js'))
const USE = `async function use(account) {
  const payment = await account.client.payments.create({
    amount: '10000', currency: 'THB', country: 'TH', checkout_mode: 'merchant',
    payment_method: 'th_promptpay', merchant_reference: 'order-1', customer: {},
  })
  await account.payments.succeed(payment.id)
  const event = await account.webhooks.next({ type: 'payment.succeeded' })
  if (event.data.id !== payment.id) throw new Error('another payment')
}`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-fakes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

test('the fake timers of vitest stop nothing, before and after the start', async () => {
  const folder = folderWith({
    'vitest.config.mjs': "export default { test: { include: ['*.test.mjs'] } }",
    'fakes.test.mjs': `import { test, vi } from 'vitest'
import { startSimulator } from ${LIBRARY}
${USE}
test('before', async () => {
  vi.useFakeTimers({ now: new Date('2001-01-01') })
  const simulator = await startSimulator()
  const account = await simulator.createAccount({ clock: 'virtual' })
  await use(account)
  await account.clock.advance('5s')
  await simulator.stop()
  vi.useRealTimers()
})
test('after', async () => {
  const simulator = await startSimulator()
  vi.useFakeTimers({ now: new Date('2001-01-01') })
  await use(await simulator.createAccount({ clock: 'real' }))
  await simulator.stop()
  vi.useRealTimers()
})
`,
  })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--testTimeout', '90000'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
  })
  expect(stdout).toMatch(/Tests {2}2 passed/)
})

test('globals that were replaced before paysim is loaded, as jest does, stop nothing', async () => {
  const script = `${USE}
for (const name of ['setTimeout', 'setInterval', 'setImmediate']) globalThis[name] = () => ({ unref() {} })
const { startSimulator } = await import(${LIBRARY})
const simulator = await startSimulator()
await use(await simulator.createAccount({ clock: 'real' }))
await simulator.stop()
console.log('done')
`
  const folder = folderWith({ 'script.mjs': script })
  const { stdout } = await run(process.execPath, [join(folder, 'script.mjs')])
  expect(stdout).toBe('done\n')
})
