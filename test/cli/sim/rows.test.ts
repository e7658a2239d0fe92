import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

/** What a command of `sim` sends, and when it sends nothing: the words of its row, at their places in the call. */

const place = useWorkplace()

const CLOCK = { mode: 'virtual', now: '2027-01-01T00:00:00.000Z', rate: 1, next_due: null, pending_timers: 0 }

/** Runs a command against a control surface that notes what it is asked, and knows lists and the clock. */
async function sent(args: readonly string[]) {
  const calls: { readonly call: string; readonly body?: unknown }[] = []
  const { url, close } = await openSite(async (request, response) => {
    const body = await text(request)
    const path = request.url ?? ''
    calls.push({ call: `${request.method} ${path}`, ...(body === '' ? {} : { body: JSON.parse(body) }) })
    const cursor = /cursor=(\d+)/.exec(path)?.[1] ?? '0'
    const next = Number(cursor) < 2 ? String(Number(cursor) + 1) : null
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(path.endsWith('/clock') ? CLOCK : { data: [], has_more: false, next_cursor: next }))
  })
  onTestFinished(close)
  const env = { PAYSIM_CONTROL_URL: url, PAYSIM_CONTROL_TOKEN: 'a-token-of-sixteen' }
  const run = await place().paysim(['sim', ...args], { env })
  return { ...run, calls }
}

const ACCOUNT = '/_paysim/accounts/default.test'

test('a word is sent at its place, as the value that it stands for', async () => {
  const down = await sent(['catalogue', 'health', 'siam/1', 'down'])
  expect(down.calls).toEqual([
    { call: `PATCH ${ACCOUNT}/catalogue/providers/siam%2F1`, body: { healthy: false } },
  ])
  const rules = await place().write('rules.yaml', 'rules:\n  - outcome: { status: failed }\n')
  const words = [
    ...['--name', 'Shop', '--checkout-mode', 'hosted', '--checkout-mode', 'none', '--clock', 'real'],
    ...['--now', '2027-01-01T00:00:00Z', '--rate', '60', '--seed', '7', '--rules', rules],
    ...['--webhook', 'http://a.test/', '--webhook', 'http://b.test/'],
  ]
  const { calls } = await sent(['merchants', 'create', 'shop', ...words])
  expect(calls).toEqual([
    {
      call: 'POST /_paysim/merchants',
      body: {
        id: 'shop',
        name: 'Shop',
        checkout_modes: ['hosted'],
        clock: { mode: 'real', now: '2027-01-01T00:00:00Z', rate: 60 },
        seed: '7',
        rules: [{ outcome: { status: 'failed' } }],
        webhooks: [{ url: 'http://a.test/' }, { url: 'http://b.test/' }],
      },
    },
  ])
})

test('a whole comes before its parts, whatever stands where a part belongs', async () => {
  const parts = ['--amount', '5', '--bank', 'bbl', '--holder', 'Somchai', '--account-number', '1234567890']
  const whole = { amount: '1', currency: 'THB', country: 'TH', merchant_reference: 'r', more: true }
  const bodyWith = async (recipient: unknown) => {
    const data = JSON.stringify({ ...whole, recipient })
    return (await sent(['payouts', 'create', ...parts, '--data', data])).calls[0]?.body
  }
  const recipient = { bank_code: 'bbl', holder_name: 'Somchai', account_number: '1234567890' }
  expect(await bodyWith({ bank_code: 'scb', type: 'bank_account' })).toEqual({
    ...whole,
    amount: '5',
    recipient: { type: 'bank_account', ...recipient },
  })
  expect(await bodyWith('x')).toEqual({ ...whole, amount: '5', recipient })
})

test.each([
  ['merchants create --now 2027-01-01T00:00:00Z', 'work only with --clock'],
  ['merchants change shop', 'nothing to change'],
  ['catalogue health siam dwn', 'Did you mean down? Allowed choices are up, down.'],
  ['merchants create --clock reel', 'Did you mean real?'],
  ['merchants create --checkout-mode mine', 'Allowed choices are hosted, merchant, none.'],
  ['payouts create --country THAI', 'It must be two letters'],
  ['payouts create --amount 5 --bank bbl', 'give --currency, --country, --merchant-reference, --holder'],
  ['payments list --limit 0', 'It must be 1 or more'],
  ['merchants remove shop --no-input', '--yes'],
  ['reset --no-input', '--yes'],
])('sim %s is a mistake, and nothing is sent', async (words, told) => {
  const { code, stdout, stderr, calls } = await sent(words.split(' '))
  expect({ code, stdout, calls }).toEqual({ code: 2, stdout: '', calls: [] })
  expect(stderr).toContain(told)
})

test('what would be gone for good is sent once it is confirmed', async () => {
  expect((await sent(['merchants', 'remove', 'shop', '--yes'])).calls).toEqual([
    { call: 'DELETE /_paysim/merchants/shop' },
  ])
})

test('people see times by the clock of the account, and programs save that call', async () => {
  const callsOf = async (...args: string[]) => (await sent(args)).calls.map(({ call }) => call)
  const timers = `GET ${ACCOUNT}/timers`
  expect(await callsOf('timers')).toEqual([timers, `GET ${ACCOUNT}/clock`])
  expect(await callsOf('timers', '-o', 'json')).toEqual([timers])
  expect(await callsOf('timers', '--query', 'data')).toEqual([timers])
  expect(await callsOf('events')).toEqual([`GET ${ACCOUNT}/events`])
})

test('a list that may be long is got as one page, or page by page to its end', async () => {
  const pages = async (...args: string[]) => (await sent(['payments', 'list', ...args])).calls
  const payments = `GET ${ACCOUNT}/payments`
  expect(await pages('--limit', '3', '--cursor', '1')).toEqual([{ call: `${payments}?limit=3&cursor=1` }])
  expect(await pages('--all', '--page-size', '4')).toEqual([
    { call: `${payments}?limit=4` },
    { call: `${payments}?limit=4&cursor=1` },
    { call: `${payments}?limit=4&cursor=2` },
  ])
})
