import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RuleCondition } from '../../../src/contract/control/rules.ts'
import { expectAccessible } from '../../support/browser/accessible.ts'
import { noChromium } from '../../support/browser/browser.ts'
import { confirm, png, press, shows, useDesks } from '../../support/browser/desk.ts'

const run = promisify(execFile)

/** What a schema lets somebody give; of two forms, the members of the larger one. */
function leavesIn(schema: TSchema): TSchema[] {
  const { properties } = [schema, ...(schema.anyOf ?? [])].find((each: TSchema) => each.properties) ?? {}
  return properties ? Object.values<TSchema>(properties).flatMap(leavesIn) : [schema]
}

/** A receiver that refuses the first so many. */
async function receiver(refuses: number): Promise<string> {
  let heard = 0
  const server = createServer((request, response) => {
    const headers = { 'x-nth': String(heard), 'set-cookie': 'session=secret-of-the-shop; Path=/' }
    request.resume().on('end', () => response.writeHead(heard++ < refuses ? 500 : 200, headers).end('heard'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

describe.skipIf(noChromium)('the tools of the dashboard', () => {
  const openDesk = useDesks()

  test('webhooks: adds an endpoint, shows its secret once, and redelivers', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('webhooks')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await shows(page, 'No endpoint yet')
    await press(page, 'Add endpoint')
    await page.getByLabel('URL').fill('http://shop.example/hooks')
    watch.allow(/400/)
    await confirm(page, 'Add')
    await shows(page, /not this machine/)
    await page.locator('input:focus[name="url"][aria-invalid="true"]').waitFor()
    await page.keyboard.type('x')
    await expect.poll(() => page.getByText(/not this machine/).count()).toBe(0)
    await page.getByLabel('URL').fill(await receiver(1))
    await page.getByLabel(/Events/).fill('payment.succeeded')
    await confirm(page, 'Add')
    await shows(page, /^whsec_/)
    await press(page, 'Copy the secret')
    const [{ secret }] = (await desk.control('GET', '/webhook-endpoints')).data
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    await confirm(page, 'Close')
    await expect.poll(() => page.getByText(secret).count()).toBe(0)

    await press(page, 'Send event')
    await page.getByRole('dialog').getByLabel('Event').selectOption('payment.failed')
    const data = page.getByLabel(/Members of its data/)
    await data.fill('{ "amount": ')
    await confirm(page, 'Send')
    await page.getByRole('alert').first().waitFor()
    await expectAccessible(page, 'a wrong event by hand')
    await data.fill('{ "amount": "42" }')
    await confirm(page, 'Send')
    await shows(page, 'payment.failed sent by hand')
    expect((await desk.control('GET', '/events')).data).toMatchObject([
      { type: 'payment.failed', by: 'hand', data: { amount: '42' } },
    ])

    const { id } = await desk.pay()
    await desk.control('POST', `/payments/${id}/succeed`)
    await desk.control('POST', '/clock/advance', { by: '0s' })
    await page.getByRole('link', { name: 'payment.succeeded of order-1' }).click()
    // What comes above the attempts is there, so that nothing moves under the click.
    await page.getByRole('button', { name: 'Redeliver' }).waitFor()
    const received = (attempt: number) => page.getByRole('region', { name: `Received by attempt ${attempt}` })
    await received(1).getByText('heard', { exact: true }).waitFor()
    await press(page, 'Send a copy')
    const whole = JSON.parse(await page.getByLabel(/Members of its data/).inputValue())
    expect(whole.id).toBe(id)
    await page.getByLabel(/Members of its data/).fill(JSON.stringify({ ...whole, amount: '1' }))
    await confirm(page, 'Send')
    await shows(page, 'payment.succeeded sent by hand')
    const { data: events } = await desk.control('GET', '/events')
    expect(events).toContainEqual(expect.objectContaining({ by: 'hand', data: { ...whole, amount: '1' } }))
    await press(page, 'Redeliver')
    await received(2).getByText('session=…; Path=/').waitFor()
    await page.getByRole('button', { name: 'Attempt 1: sent and received' }).click()
    expect(await received(1).locator('mark').count()).toBe(0)
    const marks = await received(2).locator('mark').allTextContents()
    expect(marks).toContain('2')
    expect(marks).not.toContain('session=…; Path=/')
    await expectAccessible(page, 'two attempts, opened')
    await shows(page, 'Delivered')
    await page.getByRole('link', { name: 'order-1', exact: true }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await press(page, 'Remove…')
    await confirm(page, 'Remove')
    await shows(page, 'No endpoint yet')
  })

  test('webhooks: redelivers what failed of a filtered list, and says what is wrong with a pasted signature', async () => {
    const desk = await openDesk({ webhooks: [{ url: await receiver(4) }, { url: await receiver(0) }] })
    for (const merchant_reference of ['one', 'two', 'three']) {
      const { id } = await desk.pay({ merchant_reference })
      await desk.control('POST', `/payments/${id}/succeed`)
    }
    await desk.control('POST', '/clock/advance', { by: '0s' })
    const attempts = async () => {
      const { data } = await desk.control('GET', '/webhook-deliveries')
      return data.map(({ attempts }: { attempts: unknown[] }) => attempts.length).sort()
    }
    expect(await attempts()).toEqual([1, 1, 1, 1, 1, 1])
    const { page, watch } = await desk.open('webhooks')
    await page.getByRole('link', { name: /^http/ }).first().click()
    await page.getByRole('status').filter({ hasText: '3 deliveries' }).waitFor()
    await press(page, 'Redeliver…')
    await shows(page, /3 deliveries of the list that failed, are failing or were dropped/)
    await expectAccessible(page, 'deliveries before they are redelivered')
    await confirm(page, 'Redeliver 3')
    await shows(page, '3 redelivered.')
    const became = page.getByRole('list', { name: 'What became of them' })
    expect((await became.getByRole('listitem').allTextContents()).sort()).toEqual([
      '1 failed again: answered 500',
      '2 delivered: answered 200',
    ])
    await expectAccessible(page, 'what became of deliveries')
    expect(await attempts()).toEqual([1, 1, 1, 2, 2, 2])
    await confirm(page, 'Done')
    await press(page, 'Redeliver…')
    await confirm(page, 'Redeliver 1')
    await shows(page, '1 redelivered.')
    await confirm(page, 'Done')
    await press(page, 'Redeliver…')
    await shows(page, /There is no delivery of the list that failed/)
    await confirm(page, 'Cancel')

    const [delivery, ...others] = (await desk.control('GET', '/webhook-deliveries')).data
    const { headers, body } = delivery.attempts[0].request
    const lines = Object.entries(headers).map(pair => pair.join(': '))
    await press(page, 'Verify a signature')
    watch.allow(/400/)
    await confirm(page, 'Verify')
    await page.locator('textarea:focus[name="headers"][aria-invalid="true"]').waitFor()
    await shows(page, 'is empty')
    await page.getByRole('dialog').getByLabel('Endpoint').selectOption(delivery.endpoint)
    await page.getByLabel(/What your server received/).fill([...lines, '', body].join('\n'))
    await confirm(page, 'Verify')
    await shows(page, 'Valid')
    await shows(page, 'the body was signed with this secret')
    await page.getByLabel(/What your server received/).fill(lines.join('\n'))
    await page.getByLabel(/The body, if/).fill(JSON.stringify(JSON.parse(body), null, 2))
    await confirm(page, 'Verify')
    await shows(page, 'Not valid')
    await shows(
      page,
      /does not match the body and the endpoint's secret: it would match the JSON without blanks/,
    )
    await expectAccessible(page, 'a signature that does not match')
    const { endpoint } = others.find((other: { endpoint: string }) => other.endpoint !== delivery.endpoint)
    await page.getByRole('dialog').getByLabel('Endpoint').selectOption(endpoint)
    await page.getByLabel(/The body, if/).fill(body)
    await confirm(page, 'Verify')
    await shows(page, new RegExp(`it was signed with the secret of ${delivery.endpoint}`))
  })

  test('a payment: is saved as a test in each format, also with another one', async () => {
    const desk = await openDesk()
    const { id } = await desk.pay({ merchant_reference: 'order-${now}' })
    const { page, watch } = await desk.open(`payments/${id}`)
    await press(page, 'Save as test…')
    const dialog = page.getByRole('dialog')
    await shows(page, /merchant_reference: order-\$\$\{now\}/)
    const file = () => dialog.getByRole('link', { name: 'Download' }).getAttribute('download')
    expect(await file()).toBe('story.yaml')
    await page.getByLabel('Format').selectOption('vitest')
    await shows(page, /merchant_reference: "order-\$\{now\}"/)
    await page.getByLabel('Format').selectOption('pytest')
    await shows(page, /def test_what_was_done/)
    expect(await file()).toBe('test_story.py')
    watch.allow(/404/)
    await page.getByLabel(/With other payments/).fill('pi_1')
    await shows(page, /No such payment or payout pi_1/)
    const other = await desk.pay({ merchant_reference: 'order-2' })
    await page.getByLabel(/With other payments/).fill(other.id)
    await shows(page, /payment_2 = account/)
    await confirm(page, 'Close')
    await expect.poll(() => dialog.count()).toBe(0)
  })

  test('rules: are made as a sentence and as YAML, say what they would have matched, and are used, switched, removed and restored', async () => {
    const desk = await openDesk({ rules: [] })
    await desk.pay({ amount: '9000' })
    const { page, watch } = await desk.open('rules')
    const dialog = page.getByRole('dialog')
    const text = (name: string) => dialog.getByRole('textbox', { name, exact: true })
    const rules = async () => (await desk.control('GET', '/rules')).rules
    await shows(page, 'No rules')
    await press(page, 'Add rule')
    await shows(page, 'It would have matched 0 of the last payment.')
    // All that the schema lets a rule ask for can be chosen.
    const asked = dialog.getByLabel('Add to “unless”').locator('option')
    expect(await asked.count()).toBe(leavesIn(RuleCondition).length + 1)
    watch.allow(/400/)
    await text('amount is under').fill('')
    await shows(page, 'It is not complete yet.')
    await confirm(page, 'Add')
    await page.locator('input:focus[name="match.amount.lt"][aria-invalid="true"]').waitFor()
    await expectAccessible(page, 'a wrong rule')
    await text('amount is under').fill('10000')
    await shows(page, 'It would have matched 1 of the last payment.')
    await dialog.getByLabel('Condition 2 of “when”').selectOption('amount is at least')
    await text('amount is at least').fill('5000')
    await dialog.getByLabel('Add to “when”').selectOption('method is')
    await dialog.getByRole('combobox', { name: 'method is', exact: true }).fill('th_bank_transfer')
    await dialog.getByRole('button', { name: 'or', exact: true }).click()
    await dialog.getByRole('combobox', { name: 'method is, or' }).fill('th_prompt*')
    await dialog.getByLabel('Add to “unless”').selectOption('customer email is')
    await text('customer email is').fill('*@example.com')
    await text('Outcome after').fill('0s')
    await dialog.getByLabel('Add', { exact: true }).selectOption('Receipt')
    await dialog.getByRole('combobox', { name: 'Receipt verdict' }).selectOption('is rejected')
    await dialog.getByRole('button', { name: 'then' }).click()
    await shows(page, 'It would have matched 1 of the last payment.')
    await expectAccessible(page, 'a rule as a sentence')
    await confirm(page, 'Add')
    await expect.poll(rules).toEqual([
      {
        match: {
          kind: 'payment',
          method: ['th_bank_transfer', 'th_prompt*'],
          amount: { gte: '5000' },
        },
        not: { customer: { email: '*@example.com' } },
        receipt: [{ verdict: 'reject' }, { verdict: 'accept' }],
        outcome: { status: 'failed', code: 'insufficient_funds', after: '0s' },
      },
    ])
    await shows(
      page,
      /^When it is a payment and .* unless customer email is .*: it fails with insufficient_funds/,
    )

    await press(page, 'Edit rule 1')
    await page.getByRole('tab', { name: 'YAML' }).click()
    const editor = dialog.getByLabel('As YAML or JSON')
    await expect.poll(() => editor.inputValue()).toContain('th_prompt*')
    await editor.fill('name: declines\noutcom: { status: failed }')
    await confirm(page, 'Save')
    await shows(page, /is not a known key; did you mean outcome\?/)
    await editor.fill('declines')
    await confirm(page, 'Save')
    await shows(page, /It must be names with values/)
    await editor.fill('name: declines\noutcome: { after: 0s, status: failed }\nmatch: { kind: payment }')
    await page.getByRole('tab', { name: 'Sentence' }).click()
    await expect.poll(() => text('Name (optional)').inputValue()).toBe('declines')
    // Meanwhile, somebody else adds one: both are kept.
    const other = { name: 'of somebody else', match: { kind: 'payout' }, outcome: 'manual' }
    await desk.control('POST', '/rules', { rules: [other] })
    await confirm(page, 'Save')
    await shows(page, 'of somebody else')
    await expect
      .poll(async () => (await rules()).map(({ name }: { name: string }) => name))
      .toEqual([other.name, 'declines'])
    // Who edits what is gone by now changes nothing, and is told so.
    await press(page, 'Edit declines')
    const [, declines] = await rules()
    await desk.control('PUT', '/rules', { rules: [other] })
    await confirm(page, 'Save')
    await shows(page, /Somebody changed or removed it meanwhile/)
    expect(await rules()).toEqual([other])
    await desk.control('PUT', '/rules', { rules: [declines] })
    await confirm(page, 'Cancel')
    // What is edited is the list that the page shows.
    await expect.poll(() => page.getByText('of somebody else').count()).toBe(0)
    await page.getByRole('button', { name: 'Edit declines' }).waitFor()
    await press(page, 'Edit all')
    await expect.poll(() => page.getByLabel('Rules, as YAML or JSON').inputValue()).toContain('declines')
    await desk.control('POST', '/rules', { rules: [other] })
    await confirm(page, 'Replace')
    await shows(page, /Somebody changed the list meanwhile/)
    await confirm(page, 'Cancel')
    await desk.control('PUT', '/rules', { rules: [declines] })
    await expect.poll(() => page.getByText('of somebody else').count()).toBe(0)
    await shows(page, 'used 0 ×')
    await desk.pay({ merchant_reference: 'met-the-rule' })
    await shows(page, 'used 1 ×')
    const isOn = page.getByRole('switch', { name: 'declines is on' })
    await isOn.click()
    await shows(page, 'off')
    await desk.pay({ merchant_reference: 'met-no-rule' })
    expect((await desk.control('GET', '/rules')).used).toEqual([1])
    await isOn.click()
    await page.locator('[role="switch"][aria-checked="true"]').waitFor()
    await shows(page, 'used 1 ×')
    await press(page, 'Remove')
    await shows(page, 'No rules')
    await press(page, 'Undo')
    await shows(page, 'When it is a payment: it fails after 0s.')
    expect(await rules()).toHaveLength(1)
    await desk.pay({ merchant_reference: 'met-it-again' })
    await page.getByRole('link', { name: 'Intents that follow it' }).click()
    await shows(page, 'met-it-again')
    expect(new URL(page.url()).searchParams.get('rule')).toBe('declines')
    await page.goBack()
    await press(page, 'Restore the standard rules')
    await shows(page, 'The standard rules.')
  })

  test('rules: are put in order by dragging and with the arrow keys', async () => {
    const rules = ['first', 'second', 'third'].map(name => ({
      name,
      match: { merchant_reference: name },
      outcome: { after: '0s', status: 'succeeded' },
    }))
    const desk = await openDesk({ rules })
    await desk.pay({ merchant_reference: 'third' })
    const { page } = await desk.open('rules')
    const handle = (name: string, place: number) =>
      page.getByRole('button', { name: `Move ${name}, ${place} of 3` })
    const order = async () => {
      const { rules, used } = await desk.control('GET', '/rules')
      return rules.map(({ name }: { name: string }, nth: number) => `${name} ${used[nth]}`)
    }
    await handle('third', 3).focus()
    await page.keyboard.press('ArrowUp')
    await handle('third', 2).waitFor()
    await page.keyboard.press('ArrowUp')
    await handle('third', 1).waitFor()
    await expect.poll(order).toEqual(['third 1', 'first 0', 'second 0'])
    const [from, to] = [await handle('second', 3).boundingBox(), await handle('third', 1).boundingBox()]
    if (!from || !to) throw new Error('a rule has no handle')
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(to.x + 5, to.y + 5, { steps: 5 })
    await handle('second', 1).waitFor()
    await page.mouse.up()
    await expect.poll(order).toEqual(['second 0', 'third 1', 'first 0'])
  })

  test('faults: adds one, shows that it happened, switches it off and on, removes it, and holds an answer', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('faults')
    const dialog = page.getByRole('dialog')
    await press(page, 'Add fault')
    await dialog.getByRole('combobox', { name: 'On', exact: true }).fill('GET /payout_intents')
    await dialog.getByLabel('Type').selectOption('status')
    for (const part of ['Nth', 'When']) await dialog.getByRole('button', { name: `Remove: ${part}` }).click()
    watch.allow(/400/)
    await confirm(page, 'Add')
    await shows(page, /status is required with type status/)
    await dialog.getByLabel('Add', { exact: true }).selectOption('Status')
    await dialog.getByRole('textbox', { name: 'Status' }).fill('20')
    await confirm(page, 'Add')
    await page.locator('input:focus[name="status"][aria-invalid="true"]').waitFor()
    await expectAccessible(page, 'a wrong fault')
    await dialog.getByRole('textbox', { name: 'Status' }).fill('503')
    await confirm(page, 'Add')
    await shows(page, 'On GET /payout_intents: another answer comes, with status 503.')
    await shows(page, 'happened 0 ×')
    expect((await desk.call('GET', '/payout_intents')).status).toBe(503)
    await shows(page, 'happened 1 ×')
    const isOn = page.getByRole('switch', { name: 'status on GET /payout_intents is on' })
    await isOn.click()
    await page.locator('[role="switch"][aria-checked="false"]').waitFor()
    expect((await desk.call('GET', '/payout_intents')).status).toBe(200)
    await isOn.click()
    await page.locator('[role="switch"][aria-checked="true"]').waitFor()
    await shows(page, 'happened 1 ×')
    await press(page, 'Remove all')
    await shows(page, 'No faults')
    expect((await desk.call('GET', '/payout_intents')).status).toBe(200)
    await press(page, 'Hold the next answer')
    await shows(page, 'hold the next answer')
    const answer = desk.call('GET', '/payout_intents')
    await page.getByRole('heading', { name: 'Held now' }).waitFor()
    await shows(page, 'GET /payout_intents')
    await expectAccessible(page, 'a held answer')
    await press(page, 'Change')
    await page.getByLabel('Status').fill('202')
    await page.getByLabel('Body, as JSON or text').fill('{ "mine": true }')
    await confirm(page, 'Let go')
    expect([(await answer).status, (await answer).body]).toEqual([202, { mine: true }])
    await expect.poll(() => page.getByRole('heading', { name: 'Held now' }).count()).toBe(0)
  })

  test('the catalogue: takes a provider down and brings it up again', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('catalogue')
    const { providers } = await desk.control('GET', '/catalogue')
    const [{ id }] = providers
    const health = page.getByRole('switch', { name: `${id} is healthy` })
    await health.click()
    const down = page.locator('[role="switch"][aria-checked="false"]')
    await down.waitFor()
    await shows(page, `${id} is down`)
    expect((await desk.control('GET', '/catalogue')).providers[0].healthy).toBe(false)
    await health.click()
    await down.waitFor({ state: 'detached' })
    expect((await desk.control('GET', '/catalogue')).providers[0].healthy).toBe(true)
  })

  test('the clock: steps, jumps, runs until idle and follows the wall clock', async () => {
    const desk = await openDesk({ clock: { mode: 'virtual', now: '2027-03-01T10:00:00Z' } })
    const { page, watch } = await desk.open('clock')
    await shows(page, 'No timer is set')
    await desk.pay()
    await page.getByRole('row', { name: /Expire.*order-1/ }).waitFor()
    await page.getByRole('button', { name: '+ 15m' }).click()
    await shows(page, /The time is .*; 0 timers fired/)
    await desk.pay()
    await page.getByLabel('Jump by').fill('1x')
    watch.allow(/400/)
    await page.getByRole('button', { name: 'Jump by' }).click()
    await shows(page, /is not a duration/)
    await page.getByLabel('Jump by').fill('45m')
    await page.getByRole('button', { name: 'Jump by' }).click()
    await page.locator('.big-clock', { hasText: '01 Mar 2027, 11:00:00' }).waitFor()
    await page.locator('main').getByRole('button', { name: 'Step to the next timer' }).click()
    await shows(page, /; 1 timer fired/)
    await press(page, 'Run until idle')
    await shows(page, 'No timer is set')
    await press(page, 'Real')
    await page.getByLabel(/Seconds of account time/).fill('60')
    await press(page, 'Set the rate')
    await shows(page, 'It follows the wall clock at 60×.')
    expect(await desk.control('GET', '/clock')).toMatchObject({ mode: 'real', rate: 60 })
  })

  test('requests: copies one as curl, sends it again, edited and anew, and says what became of each', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('requests')
    await shows(page, 'No requests yet')
    const body = { amount: 'none', merchant_reference: 'order-wrong', customer: { name: "O'Neil" } }
    await desk.call('POST', '/payment_intents', { body, headers: { 'idempotency-key': 'key-1' } })
    const row = page.getByRole('row', { name: /400.*POST.*order-wrong.*validation_failed/ })
    await row.waitFor()
    await page.getByRole('link', { name: '/payment_intents' }).click()
    await page.getByRole('heading', { level: 1, name: 'POST /payment_intents' }).waitFor()
    await page.getByRole('region', { name: 'Request body' }).getByText(`"amount": "none"`).waitFor()
    await page.getByRole('region', { name: 'Answer body' }).getByText('validation_failed').waitFor()
    // The list is still there, and says which one is opened.
    await page.locator('.beside tr.opened a[aria-current]').waitFor()

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await press(page, 'Copy as curl')
    await shows(page, 'Copied')
    const curl = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(curl).toContain(desk.server.url)
    const { stdout } = await run('sh', ['-c', `${curl} -s -w ' %{http_code}'`])
    expect(stdout).toMatch(/validation_failed.* 400$/s)

    const newest = async () => (await desk.control('GET', '/requests')).data[0]
    await press(page, 'Send again')
    await shows(page, 'Sent; the answer is 400')
    await press(page, 'Edit and send')
    await page.getByLabel('Path').fill('/_paysim/merchants')
    watch.allow(/400/)
    await confirm(page, 'Send')
    await shows(page, /must be of the merchant API/)
    await expectAccessible(page, 'a request that is not sent')
    await page.getByLabel('Path').fill('/payment_intents')
    expect(await page.getByLabel('Idempotency-Key (optional)').inputValue()).toBe('key-1')
    await press(page, 'New key')
    const right = {
      amount: '100',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'order-right',
      customer: {},
    }
    await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify(right))
    await confirm(page, 'Send')
    await shows(page, 'Sent; the answer is 201')
    expect(await newest()).toMatchObject({ status: 201, reference: 'order-right' })
    expect(page.url()).toContain((await newest()).request_id)

    await page.locator('main a.back').click()
    await press(page, 'New request')
    await confirm(page, 'Send')
    await shows(page, 'Sent; the answer is 200')
    expect(await newest()).toMatchObject({ method: 'GET', path: '/payout_intents' })
  })

  test('a payment: is created from what discovery offers, with an outcome, and its payer chooses and sends a receipt', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('payments')
    const dialog = page.getByRole('dialog')
    await press(page, 'New payment')
    await dialog.getByLabel('Reference').fill('order-fails')
    await dialog.getByLabel('Checkout mode').selectOption('merchant')
    await dialog.getByLabel('Method', { exact: true }).selectOption('th_bank_transfer')
    await dialog.getByLabel('Bank', { exact: true }).selectOption('kbank')
    await dialog.getByLabel('Customer name').fill('Malee')
    await dialog.getByLabel('Receipts').selectOption('reject-accept')
    await dialog.getByLabel('Why it is rejected').fill('Too dark')
    await dialog.getByLabel('Outcome').selectOption('failed')
    await dialog.getByLabel('Failure code').fill('limit_exceeded')
    await dialog.getByLabel('Amount').fill('12.5')
    await confirm(page, 'Create')
    await page.locator('input:focus[name="amount"][aria-invalid="true"]').waitFor()
    await expectAccessible(page, 'a new payment')
    // The rule for what was not created is gone again.
    const { rules } = await desk.control('GET', '/rules')
    expect(rules.filter(({ times }: { times?: number }) => times === 1)).toEqual([])
    await dialog.getByLabel('Amount').fill('12500')
    await confirm(page, 'Create')
    await page.getByRole('heading', { name: 'The payment was created' }).waitFor()
    await desk.control('POST', '/clock/advance', { by: '0s' })
    const [made] = (await desk.control('GET', '/payments')).data
    expect(made).toMatchObject({
      merchant_reference: 'order-fails',
      rule: 'order-fails failed receipt reject-accept',
    })
    expect((await desk.control('GET', '/rules')).rules[0]).toMatchObject({
      receipt: [{ verdict: 'reject', message: 'Too dark' }, { verdict: 'accept' }],
      outcome: { status: 'failed', code: 'limit_exceeded' },
    })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await dialog.getByLabel('The call that created it, as').selectOption('javascript')
    await page.getByRole('region', { name: 'Call' }).getByText('sk_…').waitFor()
    await press(page, 'Copy with address and keys')
    await shows(page, 'Copied')
    const script = String(await page.evaluate('navigator.clipboard.readText()'))
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
    // The key is that of the call, so that it makes no second payment.
    expect(stdout).toContain(made.id)
    await page.getByRole('link', { name: 'Go to the payment' }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()

    const { id } = await desk.pay({ checkout_mode: 'hosted', payment_method: undefined })
    await page.goto(page.url().replace(made.id, id))
    await press(page, 'Choose as the payer…')
    await dialog.getByLabel('Method', { exact: true }).selectOption('th_bank_transfer')
    await confirm(page, 'Choose')
    await press(page, 'Attach a receipt…')
    const image = { name: 'slip.png', mimeType: 'image/png', buffer: Buffer.from(png()) }
    await page.getByLabel('Image, PNG or JPEG').setInputFiles(image)
    await expectAccessible(page, 'a receipt to attach')
    await confirm(page, 'Send')
    await page.getByRole('img', { name: 'The uploaded receipt' }).waitFor()
    const payment = await desk.control('GET', `/payments/${id}`)
    expect(payment).toMatchObject({ payment_method: 'th_bank_transfer', receipt: { status: 'processing' } })
  })

  test('a payout: is created with an outcome, and its call is copied to run with the token', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('payouts')
    const dialog = page.getByRole('dialog')
    await press(page, 'New payout')
    await dialog.getByLabel('Reference').fill('refund-by-hand')
    await dialog.getByLabel('Account number').fill('!?')
    await dialog.getByLabel('Outcome').selectOption('failed')
    await dialog.getByLabel('Failure code').fill('account_closed')
    watch.allow(/400/)
    await confirm(page, 'Create')
    await page.locator('input:focus[name="account_number"][aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Account number').fill('5504123498')
    await confirm(page, 'Create')
    await page.getByRole('heading', { name: 'The payout was created' }).waitFor()
    await expectAccessible(page, 'a payout that was created')
    await desk.control('POST', '/clock/advance', { by: '0s' })
    const payouts = (await desk.control('GET', '/payouts')).data
    expect(payouts).toMatchObject([{ status: 'failed', failure_code: 'account_closed' }])
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const env = { ...process.env, PAYSIM_CONTROL_TOKEN: desk.server.controlToken }
    for (const [language, ...command] of [
      ['curl', 'sh', '-c'],
      ['javascript', process.execPath, '--input-type=module', '-e'],
    ]) {
      await dialog.getByLabel('The call that created it, as').selectOption(language ?? '')
      await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
      await shows(page, 'Copied')
      const code = String(await page.evaluate('navigator.clipboard.readText()'))
      const [file = '', ...given] = command
      const { stdout } = await run(file, [...given, code], { env })
      // The key is that of the call, so that it makes no second payout.
      expect(stdout).toContain(payouts[0].id)
    }
    for (const [language, token] of [
      ['python', 'os.environ["PAYSIM_CONTROL_TOKEN"]'],
      ['php', "getenv('PAYSIM_CONTROL_TOKEN')"],
    ]) {
      await dialog.getByLabel('The call that created it, as').selectOption(language ?? '')
      await page
        .getByRole('region', { name: 'Call' })
        .getByText(token ?? '')
        .waitFor()
    }
    await page.getByRole('link', { name: 'Go to the payout' }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  })

  test('the account: hides keys until asked, adds and revokes them, and empties the account', async () => {
    const desk = await openDesk()
    await desk.pay()
    const { page } = await desk.open('account')
    const secret = /^sk_test_\w{20,}/
    await shows(page, /^sk_test_•/)
    expect(await page.getByText(secret).count()).toBe(0)
    await press(page, 'Show the secret key')
    await shows(page, secret)
    await press(page, 'Add a key pair')
    await page.getByRole('button', { name: 'Revoke…' }).nth(1).click()
    await confirm(page, 'Revoke')
    await shows(page, 'Revoked')
    expect((await desk.control('GET', '/keys')).data).toHaveLength(1)
    await press(page, 'Reset…')
    await confirm(page, 'Reset')
    await shows(page, 'The account is empty')
    expect((await desk.control('GET', '/payments')).data).toEqual([])
  })

  test('the overview draws charts and live counts, and the switcher opens another account', async () => {
    const desk = await openDesk()
    await desk.pay({ merchant_reference: 'a-succeeds' })
    const { page } = await desk.open('overview')
    const chart = page.getByRole('slider', { name: /^Payments by creation time/ })
    await chart.locator('rect.good').waitFor()
    await desk.pay({ merchant_reference: 'a-waits' })
    await chart.locator('rect.info').waitFor()
    expect(await chart.getAttribute('aria-label')).toContain('1 succeeded, 1 pending')
    await chart.focus()
    await page.keyboard.press('End')
    expect(await chart.getAttribute('aria-valuetext')).toContain('Succeeded 1, Pending 1')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: '2 payments' }).waitFor()
    expect(new URL(page.url()).searchParams.get('created_after')).not.toBe(null)
    await page.goBack()
    await page.getByLabel('Account', { exact: true }).selectOption(desk.account.replace('.test', '.live'))
    await shows(page, 'No payments yet')
    expect(page.url()).toContain('.live/overview')
  })

  test("uses the system's theme until the user chooses one", async () => {
    const desk = await openDesk()
    const { page } = await desk.open('overview', { colorScheme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await ground()
    await press(page, /System theme/)
    const light = await ground()
    expect(light).not.toBe(dark)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await ground()).toBe(light)
  })
})
