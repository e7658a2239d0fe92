import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { driven, type Shop } from '../../support/cli/sim.ts'
import { png } from '../../support/payments/receipt-images.ts'

const { server, home, shop: newShop } = driven()

let shop: Shop
let payment: string
let requestId: string

/** A shop in which something of everything happened. */
beforeAll(async () => {
  shop = await newShop({ id: 'looks', seed: 1, webhooks: [{ url: 'http://127.0.0.1:9/hooks' }] })
  const form = new FormData()
  form.append('file', new Blob([png()]), 'slip.png')
  payment = String((await shop.pay({ surplus: true })).id)
  const submitted = await shop.call('POST', `/payment_intents/${payment}/receipt`, {
    raw: form,
    headers: { 'idempotency-key': 'slip-1' },
  })
  requestId = submitted.headers.get('request-id') ?? ''
  await shop.control('POST', '/clock/advance', { body: { by: '5s' } })
  await shop.control('POST', `/payments/${payment}/succeed`)
  await shop.control('POST', '/clock/advance', { body: { by: '1m' } })
  await shop.control('POST', '/payouts', { body: PAYOUT })
  await shop.control('PUT', '/faults', { body: { faults: [{ on: '*', type: 'latency', delay: '1ms' }] } })
})

const PAYOUT = {
  amount: '5000',
  currency: 'THB',
  country: 'TH',
  merchant_reference: 'refund-1',
  recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' },
}

const looks: [words: string, path: () => string, human: RegExp][] = [
  ['keys', () => '/keys', /pk_test_\w+ +sk_test_…\w{4}\n/],
  ['clock', () => '/clock', /clock +virtual\n.*now +20/s],
  ['timers', () => '/timers', /attempt-delivery dlv_/],
  ['rules', () => '/rules', /The rules that ship.* 1 {2}succeeds at once.*match: \{ kind: payment/s],
  ['faults', () => '/faults', /on: "\*"\n.*type: latency/s],
  ['catalogue', () => '/catalogue', /Providers.*banyan +up.*Routes/s],
  ['payments', () => '/payments?limit=50', /succeeded +2,500\.01 THB +th_bank_transfer +submitted/],
  ['payouts', () => '/payouts?limit=50', /requires_approval +50\.00 THB/],
  ['assets', () => '/assets', /^No assets\.\n$/],
  ['endpoints', () => '/webhook-endpoints', /final events +whsec_…\S{4} +active/],
  ['deliveries', () => '/webhook-deliveries', /payment\.succeeded .+ pi_\w+ +pending +2/],
  ['events', () => '/events', /payment\.succeeded +pi_/],
  ['requests', () => '/requests', /POST +\/payment_intents.*surplus/s],
  ['provider-calls', () => '/provider-calls', /start +pi_.*submit_receipt +pi_/s],
]

test.each(looks)('sim %s: prints the exact answer, or a view of it', async (words, path, human) => {
  const answer = await shop.control('GET', path())
  const [json, shown] = await Promise.all([shop.sim(`${words} -o json`), shop.sim(words, WIDE)])
  expect(json).toEqual({ code: 0, stdout: `${answer.text}\n`, stderr: '' })
  const hint = /secret/.test(answer.text) ? 'Secrets are hidden: --reveal shows them.\n' : ''
  expect(shown).toMatchObject({ code: 0, stderr: hint })
  expect(shown.stdout).toMatch(human)
})

const WIDE = { env: { COLUMNS: '200' } }

test.each([
  [
    'payments show',
    () => payment,
    () => `/payments/${payment}`,
    /hidden from the merchant\n.*customer +name: Somchai Jaidee.*\n\nwhy\n +It succeeded: .*\.\n\ncommands\n +paysim sim history pi_/s,
  ],
  [
    'history',
    () => payment,
    () => `/history/${payment}`,
    /receipt submitted +SHA-256 [0-9a-f]{64}.*\+5s.*by timer.*receipt accepted/s,
  ],
  [
    'requests show',
    () => requestId,
    () => `/requests/${requestId}`,
    /POST \/payment_intents\/pi_\w+\/receipt {2}200/,
  ],
])('sim %s ID prints the exact answer, or a view of it', async (words, id, path, human) => {
  const [json, shown] = await Promise.all([
    shop.sim(`${words} ${id()} -o json`),
    shop.sim(`${words} ${id()}`, WIDE),
  ])
  expect(json).toEqual({ code: 0, stdout: `${(await shop.control('GET', path())).text}\n`, stderr: '' })
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(human)
})

test('sim merchants, contract, openapi and metrics print their answers', async () => {
  const all = ['merchants', 'contract', 'openapi'] as const
  const paths = { merchants: '/merchants', contract: '/contract', openapi: '/openapi.json' }
  const runs = await Promise.all(all.map(words => shop.sim(`${words} -o json`)))
  const answers = await Promise.all(all.map(words => server().control('GET', paths[words])))
  expect(runs.map(({ stdout }) => stdout)).toEqual(answers.map(({ text }) => `${text}\n`))
  const [one, contract, openapi, metrics] = await Promise.all([
    shop.sim('merchants show looks'),
    shop.sim('contract'),
    shop.sim('openapi'),
    shop.sim('metrics'),
  ])
  expect(one.stdout).toMatch(/looks\n.*checkout modes +both.*looks\.live +pk_live_\w+ +sk_live_…/s)
  expect(contract.stdout).toMatch(/errors\.body +switch +nested/)
  expect(JSON.parse(openapi.stdout)).toMatchObject({ openapi: '3.1.0' })
  expect(metrics.stdout).toContain('# TYPE paysim_requests_total counter')
})

test('--reveal prints secrets', async () => {
  const [keys, endpoints] = await Promise.all([
    shop.sim('keys --reveal'),
    shop.sim('endpoints --reveal', WIDE),
  ])
  expect(keys.stdout).toContain(shop.keys.secret_key)
  expect(endpoints.stdout).toMatch(/whsec_[\w+/=]{20,}/)
})

test('receipts: payments that need or have one, and the image byte for byte', async () => {
  await shop.pay({ merchant_reference: 'waits' })
  const list = await shop.sim('receipts', WIDE)
  expect(list.stdout).toMatch(/pending +required.*\n.*succeeded +submitted +1 /)
  const file = await shop.sim(`receipts image ${payment} --file slip.png`)
  expect(file).toMatchObject({ code: 0, stdout: '', stderr: `slip.png written, ${png().length} bytes\n` })
  expect(await readFile(join(home(), 'slip.png'))).toEqual(png())
})

test('deliveries show prints a delivery with its attempts', async () => {
  const { data } = (await shop.control('GET', '/webhook-deliveries')).body
  const [shown, none] = await Promise.all([
    shop.sim(`deliveries show ${data[0].id}`),
    shop.sim('deliveries show dlv_none'),
  ])
  expect(shown.stdout).toMatch(/attempt 1 .*webhook-signature +v1,.*body +\{"id":"evt_.*attempt 2/s)
  expect(none).toMatchObject({ code: 4, stdout: '' })
})

test('lists come in pages: the next cursor is on stderr, and --all prints everything', async () => {
  const one = await newShop()
  for (let nth = 0; nth < 3; nth += 1) await one.pay({ merchant_reference: `order-${nth}` })
  const [first, all, csv] = await Promise.all([
    one.sim('payments --limit 2 -o jsonl'),
    one.sim('payments --all --page-size 2 -o jsonl'),
    one.sim('payments --all -o csv'),
  ])
  const { next_cursor: cursor } = (await one.control('GET', '/payments?limit=2')).body
  const references = ({ stdout }: { stdout: string }) =>
    stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).merchant_reference)
  expect(references(first)).toEqual(['order-2', 'order-1'])
  expect(first.stderr).toBe(`There are more: continue with --cursor ${cursor}, or list all with --all\n`)
  expect(references(all)).toEqual(['order-2', 'order-1', 'order-0'])
  expect(references(await one.sim(`payments --cursor ${cursor} -o jsonl`))).toEqual(['order-0'])
  expect(csv.stdout.split('\n')[0]).toContain('id,status,amount,amount_decimal,currency')
})

test("due times are relative to the account's clock", async () => {
  const one = await newShop({ clock: { mode: 'virtual', now: '2031-05-01T00:00:00Z' } })
  await one.pay()
  const { stdout } = await one.sim('timers')
  expect(stdout).toMatch(/^ *in +due +what\n3 days +2031-05-04 07:00:00 \+07:00 +expire pi_/)
})
