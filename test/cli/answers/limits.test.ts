import { expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import { BAD } from '../../support/scenario/workspace.ts'

/** A server that sends without an end, or JSON as deep as a tower or as wide as a sea: every command gives up, with 7. */

const place = useWorkplace()

const DEEP = `{"data":${'['.repeat(5000)}${']'.repeat(5000)}}`

const WIDE = JSON.stringify({
  ...{ object: 'list', data: [], has_more: false, next_cursor: null },
  ...Object.fromEntries(Array.from({ length: 50_000 }, (_, nth) => [`member-${nth}`, nth])),
})

async function site(answer: 'endless' | 'deep' | 'wide') {
  const { url, close } = await openSite((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    if (answer !== 'endless') return void response.end(answer === 'deep' ? DEEP : WIDE)
    const piece = Buffer.alloc(1024 * 1024, 0x20)
    const pour = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  })
  onTestFinished(close)
  return url
}

const COMMANDS = [
  ['payments', 'get', 'pi_1'],
  ['payments', 'get', 'pi_1', '-o', 'json'],
  ['payouts', 'list', '--all', '-o', 'csv'],
  ['request', 'GET', '/payment_intents'],
  ['sim', 'payments', 'list'],
  ['sim', 'payments', 'list', '-o', 'yaml'],
  ['sim', 'status'],
  ['sim', 'events'],
  ['webhooks', 'listen'],
] as const

const CASES = (['endless', 'deep', 'wide'] as const).flatMap(answer =>
  COMMANDS.map(args => ({ answer, command: args.join(' '), args })),
)

test.each(CASES)('$command ends with 7 when the answer is $answer', async ({ answer, args }) => {
  const url = await site(answer)
  const env = {
    PAYSIM_BASE_URL: url,
    PAYSIM_PUBLIC_KEY: 'pk_test_1',
    PAYSIM_SECRET_KEY: 'sk_test_1',
    PAYSIM_CONTROL_URL: url,
    PAYSIM_CONTROL_TOKEN: 'a-token-of-sixteen',
  }
  const { code, stdout, stderr } = await place().paysim(args, { env })
  expect(stderr).not.toMatch(/Warning|RangeError|^ {4}at /m)
  expect(stdout).toBe('')
  expect(code, stderr).toBe(7)
})

test.each(['endless', 'deep', 'wide'] as const)(
  'a scenario fails, and is reported: %s answer',
  async answer => {
    const file = await place().write('story.yaml', BAD)
    const { code, stdout, stderr } = await place().paysim(['run', file, '--base-url', await site(answer)], {
      env: { PAYSIM_PUBLIC_KEY: 'pk_test_1', PAYSIM_SECRET_KEY: 'sk_test_1' },
    })
    expect(stderr).not.toMatch(/Warning|RangeError|^ {4}at /m)
    expect(stdout).toContain('1 of 1 scenario failed')
    expect([7, 10]).toContain(code)
  },
)

test('many calls and many webhooks at once cause no warning from Node', async () => {
  const story = `paysim: 1
name: Many at once
steps:
  - parallel: 40
    steps:
      - create payment: { amount: "9900", currency: THB, country: TH, checkout_mode: merchant, payment_method: th_promptpay, merchant_reference: "order-\${n}", customer: {} }
        as: payment
      - { trigger: succeed, payment: "\${payment.id}" }
  - expect webhooks: all
    count: 40
`
  const file = await place().write('many.yaml', story)
  const { code, stdout, stderr } = await place().paysim(['run', file])
  expect(stderr).toBe('')
  expect(code, stdout).toBe(0)
})
