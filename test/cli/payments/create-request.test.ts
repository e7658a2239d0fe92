import { expect, test } from 'vitest'
import type { Run } from '../../support/cli/run-command.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

/** What `payments create` makes of flags, files and stdin. A rehearsal shows it, so that no server is needed. */

const place = useWorkplace()

const TERMS = ['--amount', '12300', '--currency', 'THB', '--country', 'TH', '--merchant-reference', 'order-1']

const rehearse = (args: readonly string[], input?: string): Promise<Run> =>
  place().paysim(['payments', 'create', '--dry-run', '--base-url', 'http://127.0.0.1:9', ...args], {
    ...(input === undefined ? {} : { input }),
  })

/** The body that would have been sent. */
async function sent(args: readonly string[], input?: string): Promise<unknown> {
  const { code, stdout, stderr } = await rehearse(args, input)
  expect(code, stderr).toBe(0)
  return JSON.parse(/--data-raw '(.*)'$/s.exec(stdout.trimEnd())?.[1]?.replaceAll(`'\\''`, `'`) ?? '')
}

async function refused(args: readonly string[], ...saying: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await rehearse(args)
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  for (const words of saying) expect(stderr).toContain(words)
}

test('every field has a flag', async () => {
  const body = await sent([
    ...TERMS,
    ...['--checkout-mode', 'hosted', '--payment-method', 'th_named_transfer'],
    ...['--option', 'bank=bbl', '--option', 'account_name=A=B', '--option', 'account_number=0012'],
    ...[
      '--option',
      'name_th=สมชาย ใจดี',
      '--customer-name',
      "Somchai O'Jaidee",
      '--customer-phone',
      '+66812345678',
    ],
    ...['--customer-email', 's@example.com', '--return-url', 'https://shop.example/thanks?a=%20b'],
  ])
  expect(body).toEqual({
    amount: '12300',
    currency: 'THB',
    country: 'TH',
    checkout_mode: 'hosted',
    merchant_reference: 'order-1',
    payment_method: 'th_named_transfer',
    payment_method_options: {
      bank: 'bbl',
      account_name: 'A=B',
      account_number: '0012',
      name_th: 'สมชาย ใจดี',
    },
    customer: { name: "Somchai O'Jaidee", phone: '+66812345678', email: 's@example.com' },
    return_url: 'https://shop.example/thanks?a=%20b',
  })
})

test('an empty customer is sent when nothing is known of one', async () => {
  expect(await sent(TERMS)).toMatchObject({ customer: {} })
})

test('flags win over JSON, JSON over files, files over stdin, and all other members are kept', async () => {
  const file = await place().write(
    'order.json',
    JSON.stringify({ country: 'VN', merchant_reference: 'of the file' }),
  )
  const later = await place().write(
    'later.yaml',
    'merchant_reference: of the later file\ncustomer: { phone: "081" }\n',
  )
  const stdin = {
    country: 'MY',
    currency: 'MYR',
    customer: { name: 'of stdin', phone: 'of stdin' },
    metadata: { a: 1 },
  }
  const body = await sent(
    [
      ...['--data', '{"currency":"IDR","customer":{"email":"j@example.com"}}', '--data', `@${file}`],
      ...[
        '--data',
        '-',
        '--data',
        `@${later}`,
        '--amount',
        '5000',
        '--currency',
        'VND',
        '--customer-name',
        'of a flag',
      ],
    ],
    JSON.stringify(stdin),
  )
  expect(body).toEqual({
    amount: '5000',
    currency: 'VND',
    country: 'VN',
    merchant_reference: 'of the later file',
    customer: { name: 'of a flag', phone: '081', email: 'j@example.com' },
    metadata: { a: 1 },
  })
})

test('--set changes members that exist, and keeps numbers as numbers', async () => {
  const data = JSON.stringify({ metadata: { cart: { items: 3, note: 'gift' } }, x: null })
  const set = [
    '--set',
    'metadata.cart.items=4',
    '--set',
    'metadata.cart.note=12',
    '--set',
    'customer.name=Jo=Jo',
  ]
  expect(await sent([...TERMS, '--data', data, ...set, '--set', 'x=[true]'])).toMatchObject({
    metadata: { cart: { items: 4, note: '12' } },
    customer: { name: 'Jo=Jo' },
    x: [true],
  })
})

test('an override that matches nothing is an error with a suggestion', async () => {
  await Promise.all([
    refused(
      [...TERMS, '--set', 'customer.nmae=x'],
      'customer.nmae matches no field',
      'did you mean customer.name?',
    ),
    refused(
      [...TERMS, '--data', '{"metadata":{"a":1}}', '--set', 'metadata.b=2'],
      'did you mean metadata.a?',
    ),
    refused([...TERMS, '--set', 'colour=red'], 'matches no field', '--data'),
    refused([...TERMS, '--set', 'country'], 'path=value'),
    refused([...TERMS, '--data', '{"n":1}', '--set', 'n=one'], 'is not JSON'),
  ])
})

test('an unknown payment method option is an error with a suggestion', async () => {
  await Promise.all([
    refused([...TERMS, '--option', 'bnak=bbl'], 'Did you mean bank?', 'account_name, account_number'),
    refused([...TERMS, '--option', 'customer_name=Jo'], 'use --customer-name'),
    refused([...TERMS, '--option', 'bank'], 'bank=…'),
  ])
})

test('--data is sent unchanged, but likely typing errors are reported', async () => {
  const data = {
    retrun_url: 'x',
    metadata: {},
    customer: { nmae: 'y' },
    bank: 'bbl',
    payment_method_options: { bnk: 1 },
  }
  const { code, stdout, stderr } = await rehearse([...TERMS, '--data', JSON.stringify(data)])
  expect(code).toBe(0)
  expect(stdout).toContain('"retrun_url":"x"')
  expect(stderr).toContain('the unknown field retrun_url; did you mean return_url?')
  expect(stderr).toContain('the unknown field customer.nmae; did you mean customer.name?')
  expect(stderr).toContain('the unknown field bank; did you mean payment_method_options.bank?')
  expect(stderr).toContain('did you mean payment_method_options.bank?')
  expect(stderr).not.toContain('metadata')
})

test('an amount with its currency is converted, and the conversion is reported', async () => {
  const rest = ['--country', 'TH', '--merchant-reference', 'order-1']
  const { stdout, stderr } = await rehearse(['--amount', '1,234.50 THB', ...rest])
  expect(stdout).toContain('"amount":"123450","currency":"THB"')
  expect(stderr).toContain('sending 1,234.50 THB as 123450 in minor units')
  expect(await sent(['--amount', 'VND 50,000', ...rest])).toMatchObject({ amount: '50000', currency: 'VND' })
  const { stderr: quiet } = await rehearse(TERMS)
  expect(quiet).toBe('')
})

test('amounts that contradict each other or are ambiguous are errors', async () => {
  const rest = ['--country', 'TH', '--merchant-reference', 'order-1']
  await Promise.all([
    refused(['--amount', '10 THB', '--currency', 'VND', ...rest], 'contradict each other'),
    refused(['--amount', '10 THB', '--data', '{"currency":"VND"}', ...rest], 'contradict each other'),
    refused(['--amount', '10.505 THB', ...rest], 'too many decimals'),
    refused(['--amount', '12.50', '--currency', 'THB', ...rest], 'not an amount'),
    refused(['--amount', '1,234 KWD', ...rest], 'ambiguous'),
    refused(['--amount=-5', '--currency', 'THB', ...rest], 'not an amount'),
  ])
})

test('codes are letters, in either case, and there are two checkout modes', async () => {
  await Promise.all([
    refused([...TERMS, '--country', 'tha'], 'two letters'),
    refused([...TERMS, '--currency', 'th1'], 'three to six letters'),
    refused([...TERMS, '--checkout-mode', 'hsoted'], 'Did you mean hosted?'),
    refused([...TERMS, '--merchant-refrence', 'x'], 'Did you mean --merchant-reference?'),
  ])
})

test('all missing fields are named at once, by their flags', async () => {
  await Promise.all([
    refused([], '--amount, --currency, --country and --merchant-reference'),
    refused(
      ['--amount', '10 THB', '--checkout-mode', 'merchant'],
      '--country, --payment-method and --merchant-reference',
    ),
  ])
  const contract = await place().write('contract.json', '{"create.merchant_reference":"optional"}')
  expect(await sent([...TERMS.slice(0, 6), '--contract', contract])).not.toHaveProperty('merchant_reference')
})

test('invalid data is an error that says where', async () => {
  await Promise.all([
    refused([...TERMS, '--data', '@nowhere.json'], 'cannot read nowhere.json'),
    refused([...TERMS, '--data', 'nowhere.json'], 'cannot read nowhere.json', 'a file name'),
    refused([...TERMS, '--data', '[1]'], 'one object'),
    refused([...TERMS, '--data', '-', '--data', '@-'], 'twice'),
    refused([...TERMS, '--data', '-', '--key-file', '-'], 'stdin'),
    refused([...TERMS, '--data', '-'], 'stdin is empty'),
  ])
})

test('a dry run prints the idempotency key but no API keys', async () => {
  const { stdout } = await rehearse([...TERMS, '--idempotency-key', 'key-1'])
  expect(stdout).toContain('idempotency-key: key-1')
  expect(stdout).toContain('$PAYSIM_PUBLIC_KEY:$PAYSIM_SECRET_KEY')
  expect((await rehearse([...TERMS, '--no-idempotency-key'])).stdout).not.toContain('idempotency-key')
})
