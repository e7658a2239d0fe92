import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium } from '../browser.ts'
import { press, shows, useDesks } from './desk.ts'

/** A receiver that refuses the first so many. */
async function receiver(refuses: number): Promise<string> {
  let heard = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(heard++ < refuses ? 500 : 200).end('heard'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

describe.skipIf(noChromium)('the tools of the dashboard', () => {
  const openDesk = useDesks()

  test('webhooks: an endpoint is added, its secret shown once, a delivery made again', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('webhooks')
    await shows(page, 'No endpoint yet')
    await press(page, 'Add endpoint')
    await page.getByLabel('URL').fill('http://shop.example/hooks')
    watch.allow(/400/)
    await press(page, 'Add')
    await press(page.locator('dialog').page(), 'Add')
    await shows(page, /not this machine/)
    await page.getByLabel('URL').fill(await receiver(1))
    await page.getByLabel(/Events/).fill('payment.succeeded')
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await shows(page, /^whsec_/)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    expect(await page.getByText(/whsec_/).count()).toBe(0)

    const { id } = await desk.pay()
    await desk.control('POST', `/payments/${id}/succeed`)
    await desk.control('POST', '/clock/advance', { by: '0s' })
    await page.getByRole('link', { name: `payment.succeeded of ${id}` }).click()
    await page.getByRole('heading', { name: 'Attempt 1' }).waitFor()
    await shows(page, 'heard')
    await press(page, 'Redeliver')
    await page.getByRole('heading', { name: 'Attempt 2' }).waitFor()
    await shows(page, 'Delivered')
    await page.getByRole('link', { name: id }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await press(page, 'Remove')
    await shows(page, 'No endpoint yet')
  })

  test('rules: the server says what is wrong with one; one is added, used, switched off, and back', async () => {
    const desk = await openDesk({ rules: [] })
    const { page, watch } = await desk.open('rules')
    await shows(page, 'No rule is in force')
    await press(page, 'Add rule')
    const editor = page.getByLabel('Rules, as YAML or JSON')
    await editor.fill('- name: declines\n  outcom: { status: failed }')
    watch.allow(/400/)
    const add = page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true })
    await add.click()
    await shows(page, /is not a known key; did you mean outcome\?/)
    await editor.fill('name: declines')
    await add.click()
    await shows(page, 'It must be a list')
    await editor.fill(
      '- name: declines\n  match: { kind: payment }\n  outcome: { after: 0s, status: failed }',
    )
    await add.click()
    await shows(page, 'used 0 ×')
    await desk.pay({ merchant_reference: 'met-the-rule' })
    await shows(page, 'used 1 ×')
    await press(page, 'Switch off')
    await shows(page, 'No rule is in force')
    await press(page, 'Undo')
    await shows(page, 'match: { kind: payment }')
    expect((await desk.control('GET', '/rules')).rules).toHaveLength(1)
    await desk.pay({ merchant_reference: 'met-it-again' })
    await page.getByRole('link', { name: 'Which intents' }).click()
    await shows(page, 'met-it-again')
    expect(new URL(page.url()).searchParams.get('rule')).toBe('declines')
    await page.goBack()
    await press(page, 'Back to the standard rules')
    await shows(page, 'The standard rules.')
  })

  test('faults: one is added, happens, and is switched off', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('faults')
    await press(page, 'Add fault')
    await page
      .getByLabel('Faults, as YAML or JSON')
      .fill('[{ "on": "GET /payout_intents", "type": "status", "status": 503 }]')
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await shows(page, 'happened 0 ×')
    expect((await desk.call('GET', '/payout_intents')).status).toBe(503)
    await shows(page, 'happened 1 ×')
    await press(page, 'Switch all off')
    await shows(page, 'Nothing goes wrong')
    expect((await desk.call('GET', '/payout_intents')).status).toBe(200)
  })

  test('the catalogue: a provider is taken down and put up again', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('catalogue')
    const { providers } = await desk.control('GET', '/catalogue')
    const [{ id }] = providers
    const health = page.getByRole('switch', { name: `${id} is healthy` })
    await health.click()
    await shows(page, `${id} is down`)
    expect((await desk.control('GET', '/catalogue')).providers[0].healthy).toBe(false)
    await health.click()
    await page.locator('[role="switch"][aria-checked="false"]').waitFor({ state: 'detached' })
    expect((await desk.control('GET', '/catalogue')).providers[0].healthy).toBe(true)
  })

  test('the clock: step, jump, run until idle, follow the wall', async () => {
    const desk = await openDesk({ clock: { mode: 'virtual', now: '2027-03-01T10:00:00Z' } })
    const { page, watch } = await desk.open('clock')
    await shows(page, 'No timer is set')
    const { id } = await desk.pay()
    await page.getByRole('row', { name: new RegExp(`Expire.*${id}`) }).waitFor()
    await page.getByRole('button', { name: '+ 15m' }).click()
    await shows(page, /It is .*; 0 timers fired/)
    await page.getByLabel('Jump by').fill('1x')
    watch.allow(/400/)
    await page.getByRole('button', { name: 'Jump by' }).click()
    await shows(page, /is no duration/)
    await page.getByLabel('Jump by').fill('45m')
    await page.getByRole('button', { name: 'Jump by' }).click()
    const at = async (now: string) => {
      await page.locator(`time, .big-clock`).first().waitFor()
      await page.waitForFunction(
        ([path, wanted]) => fetch(path ?? '').then(async answer => (await answer.json()).now === wanted),
        [`/_paysim/accounts/${desk.account}/clock`, now],
      )
    }
    await at('2027-03-01T11:00:00.000Z')
    await page.locator('main').getByRole('button', { name: 'Step to the next timer' }).click()
    await shows(page, /; 1 timer fired/)
    await press(page, 'Run until idle')
    await shows(page, 'No timer is set')
    await press(page, 'Real')
    await page.getByLabel(/Seconds of the account/).fill('60')
    await press(page, 'Set the rate')
    await shows(page, 'It follows the wall, × 60.')
    expect(await desk.control('GET', '/clock')).toMatchObject({ mode: 'real', rate: 60 })
  })

  test('requests: what was sent and answered, and as curl', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('requests')
    await shows(page, 'No requests yet')
    await desk.call('POST', '/payment_intents', { body: { amount: 'none', customer: { name: "O'Neil" } } })
    await page.getByRole('link', { name: '/payment_intents' }).click()
    await page.getByRole('heading', { level: 1, name: 'POST /payment_intents' }).waitFor()
    await page.getByRole('region', { name: 'Request body' }).getByText(`"amount": "none"`).waitFor()
    await page.getByRole('region', { name: 'Answer body' }).getByText('validation_failed').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await press(page, 'Copy as curl')
    await shows(page, 'Copied')
    const curl = await page.evaluate('navigator.clipboard.readText()')
    expect(curl).toContain(`curl -X POST "$API"'/payment_intents'`)
    expect(curl).toContain(`O'\\''Neil`)
    expect(curl).not.toContain('Basic')
  })

  test('the account: keys are hidden until asked for, added, revoked; the account emptied', async () => {
    const desk = await openDesk()
    await desk.pay()
    const { page } = await desk.open('account')
    const secret = /^sk_test_\w{20,}/
    await shows(page, /^sk_test_•/)
    expect(await page.getByText(secret).count()).toBe(0)
    await press(page, 'Show the secret key')
    await shows(page, secret)
    await press(page, 'Add a pair')
    await page.getByRole('button', { name: 'Revoke' }).nth(1).click()
    await shows(page, 'Revoked')
    expect((await desk.control('GET', '/keys')).data).toHaveLength(1)
    await press(page, 'Reset…')
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await shows(page, 'The account is empty again')
    expect((await desk.control('GET', '/payments')).data).toEqual([])
  })

  test('the overview draws what there is, and the switcher goes to another account', async () => {
    const desk = await openDesk()
    await desk.pay({ merchant_reference: 'a-succeeds' })
    const { page } = await desk.open('overview')
    await page
      .getByRole('img', { name: /^Payments by the time they were made/ })
      .locator('canvas')
      .waitFor()
    await page.getByRole('link', { name: /^Payments 1/ }).waitFor()
    await desk.pay()
    await page.getByRole('link', { name: /^Payments 2/ }).waitFor()
    await page.getByLabel('Account').selectOption(desk.account.replace('.test', '.live'))
    await shows(page, 'No payments yet')
    expect(page.url()).toContain('.live/overview')
  })

  test('the theme is the system’s until somebody says otherwise', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('overview', { colorScheme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await ground()
    await press(page, /Theme of the system/)
    const light = await ground()
    expect(light).not.toBe(dark)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await ground()).toBe(light)
  })
})
