import { expect, test } from 'vitest'
import { by } from '../../support/cli/orders.ts'
import { runHere } from '../../support/cli/run-here.ts'

/** Nothing listens there: a command that sent something would end with 7. */
const NOWHERE = {
  PAYSIM_BASE_URL: 'http://127.0.0.1:9',
  PAYSIM_PUBLIC_KEY: 'pk_test_1',
  PAYSIM_SECRET_KEY: 'sk_test_1',
}

/** What is wrong, and what must be in the words that say so. */
const MISTAKES: readonly (readonly [words: string, args: readonly string[], told: string])[] = [
  ['methods list --amuont 15000', [], '--amount'],
  ['payments create --amuont 15000', [], '--amount'],
  ['payments get pi_1 --qurey id', [], '--query'],
  ['payments wait pi_1 --timout 1s', [], '--timeout'],
  ['payments cancel pi_1 --idempotency-kye k', [], '--idempotency-key'],
  ['payments submit-receipt pi_1 --flie slip.png', [], '--file'],
  ['payouts list --al', [], '--all'],
  ['payouts cancel po_1 --raeson twice', [], '--reason'],
  ['request GET /payment_intents/pi_1 --haeder a:b', [], '--header'],
  ['webhooks listen --forward-ot http://127.0.0.1:1', [], '--forward-to'],
  [
    'methods list',
    ['--amount', '15000', '--country', 'TH', '--currency', 'THB', '--checkout-mode', 'merchnat'],
    'merchant',
  ],
  ['payments create', by('probe_transfer', '--checkout-mode', 'hostde'), 'hosted'],
  ['payments create', by('probe_banks', '--option', 'bnak=alpha'), 'bank'],
  ['payments create', by('probe_banks', '--option', 'bank'), 'bank='],
  ['payments create', by('probe_transfer', '--amount', 'a lot'), '--amount'],
  ['payments create', by('probe_transfer', '--data', '{"amount": '), '--data'],
  ['payments create', by('probe_transfer', '--data', '["a list"]'), '--data'],
  ['payments create', by('probe_transfer', '--data', '@no-such-order.json'), 'no-such-order.json'],
  [
    'payments create',
    ['--no-input', '--amount', '15000', '--currency', 'THB', '--country', 'TH'],
    '--merchant-reference',
  ],
  ['payments wait pi_1 --until succeded', [], 'succeeded'],
  ['payouts list --status procesing,failed', [], 'processing'],
  ['payouts list --created-after yesterday', [], '--created-after'],
  ['payouts list --created-after 2026-01-01', [], '--created-after'],
  ['payouts list --limit 0', [], '--limit'],
  ['payouts list --limit 101', [], '100'],
  ['payments creat', [], 'create'],
  ['payments wait pi_1 --timeout soon', [], '--timeout'],
  ['payments get', [], 'id'],
  ['payments get pi_1 pi_2', [], 'argument'],
  ['payments submit-receipt pi_1 --file no-such-slip.png', [], 'no-such-slip.png'],
  ['payouts list --limit many', [], '--limit'],
  ['payouts list -o jsno', [], 'json'],
  ['payouts list --query data[', [], '--query'],
  ['payouts list --request-timeout never', [], '--request-timeout'],
  ['payouts list --retries lots', [], '--retries'],
  ['payouts list --ca-file no-such.pem', [], 'no-such.pem'],
  ['payouts lits', [], 'list'],
  ['payments gt pi_1', [], 'did you mean get?'],
  ['payouts lst', [], 'did you mean list?'],
  ['payments create --method th_promptpay', [], 'Did you mean --payment-method?'],
  ['payment get pi_1', [], 'payments'],
  ['start', [], 'did you mean serve?'],
  ['webhook listen', [], 'webhooks'],
]

test.each(MISTAKES)('paysim %s %j', async (words, args, told) => {
  const { code, stdout, stderr } = await runHere([...words.split(' '), ...args], NOWHERE)
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^paysim: (?![A-Z])/)
  expect(stderr).toContain(told)
})

test.each([
  ['payments list', '`paysim sim payments list`'],
  ['payments lst', '`paysim sim payments list`'],
  ['payments lsit', '`paysim sim payments list`'],
  ['clock', '`paysim sim clock`'],
])('paysim %s is a command of the simulator, where one is meant', async (words, meant) => {
  const here = await runHere(words.split(' '), {})
  expect(here).toMatchObject({ code: 2, stderr: expect.stringContaining(`did you mean ${meant}?`) })
  // A real gateway has none of them.
  const real = await runHere(words.split(' '), NOWHERE)
  expect(real.stderr).toContain('and calls go to http://127.0.0.1:9 (PAYSIM_BASE_URL)')
  expect(real.stderr).not.toContain('paysim sim')
})

test.each([
  ['payments show pi_1', 'paysim payments show is called `paysim payments get`', 7],
  ['sim payments get --help', 'paysim sim payments get is called `paysim sim payments show`', 0],
  ['profile create --help', 'paysim profile create is called `paysim profile add`', 0],
  ['sim merchants add --help', 'paysim sim merchants add is called `paysim sim merchants create`', 0],
  ['sim endpoints delete --help', 'paysim sim endpoints delete is called `paysim sim endpoints remove`', 0],
  ['scenario create --help', 'paysim scenario create is called `paysim scenario new`', 0],
])('paysim %s is understood, and corrected', async (words, told, code) => {
  const ran = await runHere([...words.split(' '), ...(code === 7 ? ['--retries', '0'] : [])], NOWHERE)
  expect(ran.code, ran.stderr).toBe(code)
  expect(ran.stderr.split('\n')[0]).toBe(told)
})
