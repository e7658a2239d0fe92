import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { driven, type Shop } from '../../support/cli/sim.ts'
import { png } from '../../support/payments/receipt-images.ts'

const { home, shop } = driven()

const parsed = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout)

describe('time', () => {
  test('a virtual clock moves as far as requested', async () => {
    const { sim } = await shop({ clock: { mode: 'virtual', now: '2027-01-01T00:00:00Z' } })
    expect(parsed(await sim('clock advance 1h30m -o json'))).toMatchObject({
      now: '2027-01-01T01:30:00.000Z',
    })
    const there = await sim('clock advance --to 2027-01-02T00:00:00+07:00')
    expect(there.stdout).toMatch(/now +2027-01-02 00:00:00 \+07:00 .*\n +fired +0 timers\n +idle +yes/)
  })

  test('it advances to the next timer, and no further than requested', async () => {
    const { sim, pay } = await shop({ clock: { mode: 'virtual', now: '2027-01-01T00:00:00Z' } })
    await pay()
    expect(parsed(await sim('clock advance --until-idle --max 1d -o json'))).toMatchObject({
      fired: 0,
      idle: false,
    })
    expect(parsed(await sim('clock advance --until-idle -o json'))).toMatchObject({ fired: 1, idle: true })
  })

  test('it becomes real, fast, and virtual again at a time', async () => {
    const { sim } = await shop()
    expect(parsed(await sim('clock set real --rate 60x -o json'))).toMatchObject({ mode: 'real', rate: 60 })
    const stopped = await sim('clock set virtual --now 2099-01-01T00:00:00Z -o json')
    expect(parsed(stopped)).toMatchObject({ mode: 'virtual', now: '2099-01-01T00:00:00.000Z' })
  })

  test.each([
    ['clock advance', '--until-idle'],
    ['clock advance 5s --until-idle', '--until-idle'],
    ['clock advance 5s --max 1d', '--max works only with --until-idle'],
    ['clock advance 5x', 'is not a duration: 5x'],
    ['clock set vertual', 'Did you mean virtual?'],
    ['clock set virtual --rate 2', 'is only for a real clock'],
  ])('%s is a usage error', async (words, told) => {
    const { sim } = await shop()
    const run = await sim(words)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(told)
  })
})

describe('rules, faults, catalogue', () => {
  const mine = '- match: { kind: payment }\n  outcome: { after: 5s, status: failed, code: no_funds }\n'

  test('an event is sent by hand, and a copy of it', async () => {
    const { sim } = await shop()
    const sent = await sim(['events', 'send', 'payment.failed', '--data', '{"merchant_reference":"mine"}'])
    expect(sent.stdout).toMatch(/payment\.failed +pi_\S+ +failed/)
    const [{ id }] = parsed(await sim('events -o json')).data
    const copy = parsed(
      await sim(['events', 'send', '--event', id, '--data', '{"amount":"7"}', '-o', 'json']),
    )
    expect(copy).toMatchObject({ by: 'hand', data: { merchant_reference: 'mine', amount: '7' } })
    const wrong = await sim('events send payment.failed --data 7')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a JSON object') })
  })

  test('what a fault holds is listed, and let go with a status and headers', async () => {
    const { sim, call } = await shop()
    const fault = { on: 'GET /payout_intents', type: 'hold', times: 1, name: 'look first' }
    const set = await sim('faults set -', { input: JSON.stringify([fault]) })
    expect(set.stdout).toMatch(/look first {2}not used yet/)
    expect((await sim('holds')).stdout).toBe('Nothing is held.\n')
    const answer = call('GET', '/payout_intents')
    await expect.poll(async () => parsed(await sim('holds -o json')).data.length).toBe(1)
    const shown = await sim('holds')
    expect(shown.stdout).toMatch(/GET \/payout_intents .*look first/)
    const [{ id }] = parsed(await sim('holds list -o json')).data
    const wrong = await sim(`holds release ${id} --header nothing`)
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('retry-after: 5') })
    const words = [
      '--status',
      '503',
      '--header',
      'retry-after: 5',
      '--header',
      'x-own: a: b',
      '--body',
      '{"a":1}',
    ]
    const released = await sim(['holds', 'release', id, ...words])
    expect(released.stdout).toBe(`${id} let go: GET /payout_intents\n`)
    const { status, headers, text } = await answer
    expect([status, headers.get('retry-after'), headers.get('x-own'), text]).toEqual([
      503,
      '5',
      'a: b',
      '{"a":1}',
    ])
    expect((await sim(`holds release ${id}`)).stderr).toContain('No such hold')
  })

  test('rules come from YAML or JSON, a file or stdin, and replace others or go before them', async () => {
    const { sim, control } = await shop()
    const file = join(home(), 'rules.yaml')
    await writeFile(file, mine)
    const set = await sim(`rules set ${file} -o json`)
    expect(set.stdout).toBe(`${(await control('GET', '/rules')).text}\n`)
    expect(parsed(set)).toMatchObject({
      standard: false,
      rules: [{ outcome: { code: 'no_funds' } }],
      used: [0],
    })
    const front = { name: 'first', match: { kind: 'payout' } }
    const added = await sim('rules add -', { input: JSON.stringify({ rules: [front] }) })
    expect(added.stdout).toMatch(/1 {2}first.*2 {2}no name {2}not used yet\n.*code: no_funds/s)
    expect(parsed(await sim('rules reset -o json'))).toMatchObject({ standard: true })
  })

  test('a printed document can be read back', async () => {
    const { sim } = await shop()
    const rules = await sim('rules list -o yaml --query rules')
    const again = await sim('rules set -', { input: rules.stdout })
    expect(again).toMatchObject({ code: 0, stderr: '' })
    const catalogue = await sim('catalogue show -o yaml')
    expect(await sim('catalogue set - -o json', { input: catalogue.stdout })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  test('invalid rules change nothing, and every mistake is named', async () => {
    const { sim, control } = await shop()
    const before = await control('GET', '/rules')
    const rules = [{ match: { kind: 'payment' }, outcom: {} }, { match: { kid: 'payout' } }]
    const run = await sim('rules set -', { input: JSON.stringify(rules) })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('rules.0.outcom: is not a known key; did you mean outcome?')
    expect(run.stderr).toContain('rules.1.match.kid: is not a known key; did you mean kind?')
    expect((await control('GET', '/rules')).text).toBe(before.text)
  })

  test.each([
    ['[1, 2', /^paysim: stdin: .*line 1/],
    ['{"rules": {}}', /expected a list, or \{rules: \[…\]\}/],
    ['', /stdin is empty/],
  ])('an invalid document is refused: %j', async (input, told) => {
    const { sim } = await shop()
    const run = await sim('rules set -', { input })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(told)
  })

  test('faults are set, counted and cleared', async () => {
    const { sim, call } = await shop()
    await sim('faults set -', { input: '[{ on: "*", times: 1, type: status, status: 503 }]' })
    expect((await call('GET', '/payout_intents')).status).toBe(503)
    expect((await sim('faults')).stdout).toMatch(/used once\n +on: "\*"\n.*status: 503/s)
    await sim('faults set -', { input: '[{ on: "*", type: reset, for: 1h }]' })
    expect((await sim('faults')).stdout).toMatch(/for: 1h\n +happens: "from \d{4}-\S+Z until \d{4}-\S+Z"/)
    expect(parsed(await sim('faults clear -o json'))).toEqual({ faults: [], windows: [], used: [] })
  })

  test('a provider goes down and up', async () => {
    const { sim, pay } = await shop()
    expect((await sim('catalogue health banyan down')).stdout).toMatch(/banyan +down/)
    await pay()
    expect((await sim('payments --query data[0].route.provider')).stdout).toBe('monsoon\n')
    expect(parsed(await sim('catalogue health banyan up -o json'))).toEqual({ id: 'banyan', healthy: true })
  })
})

describe('payments and payouts', () => {
  const checking = async ({ control, call }: Shop, id: string) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(png())]), 'slip.png')
    const { body } = await control('POST', '/assets', { raw: form })
    const raw = { body: { asset_id: body.id }, headers: { 'idempotency-key': 'slip-1' } }
    expect((await call('POST', `/payment_intents/${id}/receipt`, raw)).status).toBe(200)
  }
  const cancelling = ({ call }: Shop, id: string) =>
    call('POST', `/payment_intents/${id}/cancel-pending`, { body: {}, headers: { 'idempotency-key': 'c' } })
  const processing = ({ control }: Shop, id: string) => control('POST', `/payments/${id}/withdraw-action`)

  test.each<[string, ((shop: Shop, id: string) => Promise<unknown>) | undefined, object]>([
    ['succeed', undefined, { status: 'succeeded' }],
    ['expire', undefined, { status: 'expired' }],
    ['withdraw-action', undefined, { status: 'processing' }],
    ['present-action', processing, { status: 'pending' }],
    ['accept-receipt', checking, { receipt: { status: 'submitted' } }],
    ['reject-receipt --message dark', checking, { receipt: { status: 'rejected', failure_message: 'dark' } }],
    ['confirm-cancel', cancelling, { cancelled: true, status: 'failed' }],
  ])('payments %s', async (trigger, before, after) => {
    const one = await shop({ rules: [{ match: { kind: 'payment' }, receipt: 'manual', cancel: 'manual' }] })
    const { id = '' } = await one.pay()
    await before?.(one, id)
    expect(parsed(await one.sim(`payments ${trigger} ${id} -o json`))).toMatchObject({ id, ...after })
  })

  test('a hosted payment is chosen, paid and left, without a browser', async () => {
    const { sim, pay } = await shop()
    const asked: (string | undefined)[] = []
    const site = createServer(({ url }, response) => {
      asked.push(url)
      response.writeHead(303, { location: '/paid' }).end()
    })
    onTestFinished(() => void site.close())
    await once(site.listen(0, '127.0.0.1'), 'listening')
    const { port } = site.address() as AddressInfo
    const hosted = { checkout_mode: 'hosted', payment_method: undefined, payment_method_options: undefined }
    const { id = '' } = await pay({ ...hosted, customer: {}, return_url: `http://127.0.0.1:${port}/back` })
    const stuck = await sim(`payments succeed ${id}`)
    expect(stuck).toMatchObject({ code: 5, stdout: '' })
    expect(stuck.stderr).toContain('choose one first, on its page or with `paysim sim payments choose`')

    const unnamed = await sim(`payments choose ${id} th_bank_transfer --bank bbl`)
    expect(unnamed).toMatchObject({ code: 2, stdout: '' })
    expect(unnamed.stderr).toContain('customer_name is required')
    const choice = [
      'payments',
      'choose',
      id,
      'th_bank_transfer',
      '--bank',
      'bbl',
      '--customer-name',
      'Ann Lee',
    ]
    const chosen = await sim(choice)
    expect(chosen).toMatchObject({ code: 0, stderr: '' })
    expect(chosen.stdout).toMatch(/^pi_\w+ {2}pending\n.*customer +name: Ann Lee\n.*options +bank: bbl\n/s)
    expect((await sim(choice)).code).toBe(0)

    const slip = join(home(), 'slip.png')
    await writeFile(slip, png())
    const sent = await sim(`payments send-receipt ${id} ${slip}`)
    expect(sent.stdout).toMatch(/^pi_\w+ {2}pending\n.*image +[0-9a-f]{64} .*submitted once/s)
    const piped = await sim(`payments send-receipt ${id} - --query receipt.status`, { input: png() })
    expect(piped).toMatchObject({ code: 0, stdout: 'processing\n' })
    const text = await sim(`payments send-receipt ${id} -`, { input: 'no image' })
    expect(text).toMatchObject({ code: 2, stdout: '' })

    expect(parsed(await sim(`payments succeed ${id} -o json`))).toMatchObject({ status: 'succeeded' })
    expect((await sim(`payments return ${id}`)).stdout).toMatch(/status +leads to *\n303 +\/paid/i)
    expect(parsed(await sim(`payments return ${id} -o json`))).toEqual({ status: 303, location: '/paid' })
    expect(asked).toEqual(['/back', '/back'])
  })

  test('payments fail with a reason, and only once', async () => {
    const { sim, pay } = await shop()
    const { id } = await pay()
    const failed = await sim([
      'payments',
      'fail',
      String(id),
      '--code',
      'no_funds',
      '--message',
      'Nothing there',
    ])
    expect(failed).toMatchObject({ code: 0, stderr: '' })
    expect(failed.stdout).toMatch(/^pi_\w+ {2}failed\n.*failure +no_funds: Nothing there\n/s)
    const again = await sim(`payments succeed ${id}`)
    expect(again).toMatchObject({ code: 5, stdout: '' })
    expect(again.stderr).toContain('(invalid_state, HTTP 422, req_')
  })

  test('payouts are made from flags and files, and change state', async () => {
    const { sim } = await shop()
    const written = `amount: "5000"\ncurrency: THB\ncountry: TH\nrecipient: { bank_code: bbl, account_number: "1234567890" }\n`
    const made = await sim(
      [
        'payouts',
        'create',
        '--data',
        '-',
        '--merchant-reference',
        'refund-1',
        '--holder',
        'Somchai Jaidee',
        '-o',
        'json',
      ],
      { input: written },
    )
    const { id, recipient } = parsed(made)
    expect(recipient).toMatchObject({
      bank_code: 'bbl',
      holder_name: 'Somchai Jaidee',
      account_last4: '7890',
    })
    expect(parsed(await sim(`payouts approve ${id} -o json`))).toMatchObject({ status: 'processing' })
    const failed = await sim(`payouts fail ${id} --code account_closed`)
    expect(failed.stdout).toMatch(/failed\n.*account_closed/s)
    const { stdout } = await sim(
      'payouts create --amount 1 --currency THB --country TH --merchant-reference r --bank bbl --holder A --account-number 1234 --status succeeded --created-at 2020-01-01T00:00:00Z -o json',
    )
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', created_at: '2020-01-01T00:00:00.000Z' })
  })

  test('everything that a payout lacks is named at once', async () => {
    const { sim } = await shop()
    const run = await sim('payouts create --amount 1 --currency THB')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('--country, --merchant-reference, --bank, --holder, --account-number')
  })
})
