import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { driven } from '../support/cli/sim.ts'
import { scratchDirectory, serveIn } from '../support/gateway/serve-process.ts'

/** A refusal is no dead end: it names the next step. */
const { shop, paysim, server } = driven()

/** A gateway that knows no path. */
const foreign = createServer((_, answer) =>
  answer
    .writeHead(404, { 'content-type': 'application/json' })
    .end('{"code":"not_found","message":"No such path"}'),
)
let elsewhere: string
beforeAll(async () => {
  await new Promise<void>(listening => foreign.listen(0, '127.0.0.1', listening))
  elsewhere = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
})
afterAll(() => foreign.close())

const PAY = 'payments create --amount 100 --currency THB --country TH --merchant-reference o-1 --no-input'
const keys = (publicKey: string, secretKey: string) => ({
  PAYSIM_PUBLIC_KEY: publicKey,
  PAYSIM_SECRET_KEY: secretKey,
})
const here = (one: Awaited<ReturnType<typeof shop>>) => ({
  PAYSIM_BASE_URL: server().url,
  PAYSIM_CONTROL_URL: server().controlUrl,
  PAYSIM_CONTROL_TOKEN: server().controlToken,
  ...keys(one.keys.public_key, one.keys.secret_key),
})

describe('a refusal names the next step:', () => {
  test('a hosted payment without a method, whose reason is that of `sim why`', async () => {
    const one = await shop()
    const { id = '' } = await one.pay({
      checkout_mode: 'hosted',
      payment_method: undefined,
      payment_method_options: undefined,
    })
    const { code, stderr } = await one.sim(`payments succeed ${id}`)
    expect(code).toBe(5)
    expect(stderr).toContain('or with `paysim sim payments choose`')
    expect(stderr).toContain('It waits for the payer to choose a method')
    const [, command = ''] = new RegExp(`^  paysim sim (payments choose ${id} .*)$`, 'm').exec(stderr) ?? []
    expect((await one.sim(command)).code).toBe(0)
    expect((await one.sim(`payments succeed ${id}`)).code).toBe(0)
  })

  test('a cancellation that is not possible', async () => {
    const one = await shop()
    const { id = '' } = await one.pay()
    await one.sim(`payments fail ${id}`)
    const { code, stderr } = await paysim(`payments cancel ${id} --yes`, { env: here(one) })
    expect(code).toBe(5)
    expect(stderr).toMatch(
      new RegExp(
        `\nIt failed \\(.*\\): somebody decided so on the control surface\\.\n  paysim sim history ${id}`,
      ),
    )
  })

  test('a method that nobody knows', async () => {
    const one = await shop()
    const { code, stderr } = await paysim(`${PAY} --checkout-mode merchant --payment-method th_promtpay`, {
      env: here(one),
    })
    expect(code).toBe(6)
    expect(stderr).toContain('th_promtpay; did you mean th_promptpay? (--payment-method)\n')
    const [, command = ''] = /^`paysim (methods list .*)` lists the methods\.$/m.exec(stderr) ?? []
    const { code: listed, stdout } = await paysim(command, { env: here(one) })
    expect(listed).toBe(0)
    expect(stdout).toContain('th_promptpay')
  })

  test('a choice that lacks what its route needs, or the method itself', async () => {
    const one = await shop()
    const { id = '' } = await one.pay({
      checkout_mode: 'hosted',
      payment_method: undefined,
      payment_method_options: undefined,
      customer: {},
    })
    const hint = '`paysim methods list` lists the methods'
    const refused = await one.sim(`payments choose ${id} th_bank_transfer`)
    expect(refused.code).toBe(2)
    const [, flags = ''] = /^Give it by (.*)\.$/m.exec(refused.stderr) ?? []
    expect(flags).toContain('--customer-name <name>')
    expect(refused.stderr).toContain(hint)
    const whole = '--bank bbl --customer-name Ann'
    expect((await one.sim(`payments choose ${id} th_bank_transfer ${whole}`)).code).toBe(0)
    const lacking = await one.sim(`payments choose ${id}`)
    expect(lacking).toMatchObject({ code: 2, stderr: expect.stringContaining(hint) })
  })

  test('a real clock', async () => {
    const one = await shop({ clock: { mode: 'real' } })
    const { code, stderr } = await one.sim('clock advance 5s')
    expect(code).toBe(5)
    const [, command = ''] = /make it virtual with `paysim sim (.*)`/.exec(stderr) ?? []
    expect(command).toBe(`clock set virtual --account ${one.id}.test`)
    expect((await one.sim(command)).code).toBe(0)
    expect((await one.sim('clock advance 5s')).code).toBe(0)
  })

  test('secrets that are hidden', async () => {
    const one = await shop()
    const hint = 'Secrets are hidden: --reveal shows them.\n'
    expect((await one.sim('keys list')).stderr).toContain(hint)
    expect((await one.sim('keys list --reveal')).stderr).not.toContain('hidden')
    expect((await one.sim('keys list -o json')).stderr).not.toContain('hidden')
    const { stderr } = await one.sim(`endpoints add http://127.0.0.1:9/hooks --account ${one.id}`)
    expect(stderr).toContain(`\`paysim sim endpoints list --reveal --account ${one.id}\` shows them`)
    expect((await one.sim('endpoints list --reveal')).stdout).toContain('whsec_')
  })

  test('`webhooks check` without a secret', async () => {
    const { code, stderr } = await paysim('webhooks check http://127.0.0.1:9/hooks')
    expect(code).toBe(2)
    expect(stderr).toContain('`paysim sim endpoints list --reveal` shows')
  })

  test('a path that a gateway does not have', async () => {
    const env = { PAYSIM_BASE_URL: elsewhere, ...keys('pk_test_a', 'sk_test_a') }
    const made = await paysim(`${PAY} --checkout-mode hosted`, { env })
    expect(made).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('at another path: `paysim doctor`'),
    })
    const listed = await paysim('payouts list', { env })
    expect(listed).toMatchObject({ code: 4, stderr: expect.not.stringContaining('record') })
  })
})

describe('wrong credentials', () => {
  test('are named with the place that they are from', async () => {
    const env = { PAYSIM_BASE_URL: server().url, ...keys('pk_test_wrong', 'sk_test_wrong') }
    const { code, stderr } = await paysim('payouts list', { env })
    expect(code).toBe(3)
    expect(stderr).toContain(
      'The keys are pk_test_wrong and its secret key, from PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY;',
    )
    expect(stderr).not.toContain('sk_test_wrong')
  })

  test('of two environments are refused before the call', async () => {
    const env = { PAYSIM_BASE_URL: 'http://127.0.0.1:9', ...keys('pk_live_a', 'sk_test_b') }
    const { code, stderr } = await paysim('payouts list', { env })
    expect(code).toBe(2)
    expect(stderr).toContain('pk_live_a is a live key, and the secret key is a test key')
    expect(stderr).not.toContain('sk_test_b')
  })

  test('of the control surface are named too', async () => {
    const env = { PAYSIM_CONTROL_URL: server().controlUrl, PAYSIM_CONTROL_TOKEN: 'stale-token' }
    const { code, stderr } = await paysim('sim payments list', { env })
    expect(code).toBe(3)
    expect(stderr).toContain('The control token is from PAYSIM_CONTROL_TOKEN;')
  })
})

describe('the control token of a data directory', () => {
  const args = (path: string) => ['--port', '0', '--data', path]

  test('stays the same, in a file that only its owner can read', async () => {
    const path = join(await scratchDirectory(), 'data')
    const first = await serveIn(process.cwd(), args(path))
    expect(await first.stop()).toBe(0)
    const file = join(path, 'control-token')
    expect(await readFile(file, 'utf8')).toBe(`${first.ready.control_token}\n`)
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    const second = await serveIn(process.cwd(), args(path))
    expect(second.ready.control_token).toBe(first.ready.control_token)
    await second.stop()
  })

  test('is not one that is given, and a file that a kill left empty is filled', async () => {
    const path = join(await scratchDirectory(), 'data')
    await mkdir(path, { mode: 0o700 })
    await writeFile(join(path, 'control-token'), '', { mode: 0o600 })
    const given = await serveIn(process.cwd(), [...args(path), '--control-token', 'a-given-token'])
    expect(given.ready.control_token).toBe('a-given-token')
    await given.stop()
    expect(await readFile(join(path, 'control-token'), 'utf8')).toBe('')
    const made = await serveIn(process.cwd(), args(path))
    expect(await readFile(join(path, 'control-token'), 'utf8')).toBe(`${made.ready.control_token}\n`)
    expect(String(made.ready.control_token).length).toBeGreaterThan(20)
    await made.stop()
  })
})
