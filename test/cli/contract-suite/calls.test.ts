import { spawnSync } from 'node:child_process'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { by } from '../../support/cli/orders.ts'
import type { Shop } from '../../support/cli/shop.ts'
import { inEachWorld, inTheSimulator } from '../../support/cli/worlds.ts'
import { png } from '../../support/payments/receipt-images.ts'

const hasCurl = spawnSync('bash', ['-c', 'command -v curl']).status === 0
if (!hasCurl) process.stderr.write('no bash with curl here: what --dry-run prints is not run\n')

inEachWorld(world => {
  test('--query prints the value at a path, and an impossible path is a usage error', async () => {
    const shop = await world().shop()
    const { id, merchant_reference: reference } = await shop.pay('probe_transfer')
    await shop.payout('refund-1')
    const get = (...args: string[]) => shop.paysim(`payments get ${id}`, args)
    const [plain, quoted, object, list, none, slip] = await Promise.all([
      get('--query', 'merchant_reference'),
      get('--query', 'merchant_reference', '-o', 'json'),
      get('--query', 'next_action.account', '-o', 'json'),
      shop.paysim('payouts list --query data[].merchant_reference'),
      get('--query', 'failure_code', '-o', 'json'),
      get('--query', 'stauts'),
    ])
    expect(plain).toMatchObject({ code: 0, stdout: `${reference}\n` })
    expect(quoted).toMatchObject({ code: 0, stdout: `${JSON.stringify(reference)}\n` })
    expect(JSON.parse(object.stdout)).toMatchObject({ name: expect.any(String), number: expect.any(String) })
    expect(list).toMatchObject({ code: 0, stdout: 'refund-1\n' })
    expect(none, 'whether the server says null or nothing').toMatchObject({ code: 0, stdout: 'null\n' })
    expect(slip).toMatchObject({ code: 2, stdout: '' })
    expect(slip.stderr).toContain('status')
  })

  test('request makes any call with the keys, and prints the answer', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    await shop.payout('refund-1')
    const body = JSON.stringify({ reason: 'typed' })
    const payouts = JSON.parse(await shop.text('/payout_intents')).data
    const [got, listed, cancelled, missing] = await Promise.all([
      shop.paysim(`request GET /payment_intents/${id} -o json`),
      shop.paysim('request get /payout_intents?limit=1 --query data[0].merchant_reference'),
      shop.paysim(`request POST /payout_intents/${payouts[0].id}/cancel --data - -o json`, [], {
        input: body,
      }),
      shop.paysim('request GET /no/such/path'),
    ])
    expect(got.stdout).toBe(`${(await shop.text(`/payment_intents/${id}`)).trimEnd()}\n`)
    expect(listed).toMatchObject({ code: 0, stdout: 'refund-1\n' })
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: 'cancelled' })
    expect(missing.code, missing.stderr).toBe(4)
    expect(missing.stdout, 'a refusal is an answer too').toMatch(/"code":\s*"not_found"/)
  })

  test.skipIf(!hasCurl)('the curl command of --dry-run does in a shell what the command does', async () => {
    const shop = await world().shop()
    const [read, receipt, cancelled] = await Promise.all(
      ['probe_transfer', 'probe_receipt', 'probe_transfer'].map(method => shop.pay(method)),
    )
    const { id: payout } = await shop.payout('it\'s $HOME `here` \\ "there"')
    const slip = await world().place.write("it's a slip.png", png())
    await Promise.all([
      same(shop, `payments get ${read.id}`),
      same(shop, 'payouts list', ['--merchant-reference', 'it\'s $HOME `here` \\ "there"', '--limit', '1']),
      same(shop, 'methods list --amount 15000 --currency THB --country TH --checkout-mode merchant'),
      // The same key with the same body is the same payment: had the shell changed a letter, it would not be.
      same(
        shop,
        'payments create',
        by('probe_optional', '--idempotency-key', 'k-1', '--customer-name', "Som'chai $(x) สม"),
      ),
      same(shop, `payments submit-receipt ${receipt.id} --idempotency-key k-2`, ['--file', slip]),
      same(shop, `payments cancel ${cancelled.id} --idempotency-key k-3`),
    ])
    const cancel = await inShell(shop, `payouts cancel ${payout}`, ['--reason', "it's off"])
    expect(JSON.parse(cancel)).toMatchObject({ id: payout, status: 'cancelled' })
  })

  /** By the shell, and then by the command: the answers are one. */
  async function same(shop: Shop, words: string, args: readonly string[] = []) {
    const byShell = await inShell(shop, words, args)
    const { code, stdout, stderr } = await shop.paysim(`${words} -o json`, args)
    expect(code, stderr).toBe(0)
    expect(byShell.trimEnd()).toBe(stdout.trimEnd())
  }

  async function inShell(shop: Shop, words: string, args: readonly string[]): Promise<string> {
    const { stdout: curl } = await shop.paysim(`${words} --dry-run`, args)
    const env = { ...shop.env, PATH: process.env.PATH ?? '', HOME: '/var/empty' }
    return (await execa('bash', ['-c', curl], { env, extendEnv: false })).stdout
  }
})

// What does not depend on how a server decided.
inTheSimulator(world => {
  test('--show-headers and --verbose write to stderr, and leave stdout unchanged', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const get = (...args: string[]) => shop.paysim(`payments get ${id} -o json`, args)
    const [plain, headers, verbose] = await Promise.all([get(), get('--show-headers'), get('--verbose')])
    expect(new Set([plain, headers, verbose].map(({ stdout }) => stdout)).size).toBe(1)
    expect(plain.stderr).toBe('')
    expect(headers.stderr).toMatch(/\b20[03]\b/)
    expect(headers.stderr).toMatch(/^request-id: req_/im)
    expect(verbose.stderr).toContain(`GET ${world().url}/payment_intents/${id}`)
    expect(verbose.stderr).toMatch(/\b20[03]\b/)
  })

  test('an empty variable counts as unset', async () => {
    const shop = await world().shop()
    const { id } = await shop.pay('probe_transfer')
    const names = ['PAYSIM_OUTPUT', 'PAYSIM_PROFILE', 'PAYSIM_ACCOUNT', 'PAYSIM_CONTROL_URL']
    const env = Object.fromEntries(names.map(name => [name, '']))
    const got = await shop.paysim(`payments get ${id} --query id`, [], { env })
    expect(got).toMatchObject({ code: 0, stdout: `${id}\n` })
  })

  test('--dry-run sends nothing, needs no keys, and shows none', async () => {
    const shop = await world().shop()
    const keyless = { PAYSIM_PUBLIC_KEY: '', PAYSIM_SECRET_KEY: '' }
    const slip = await world().place.write('slip.png', png())
    const tries: [string, string[]?][] = [
      ['methods list --amount 15000 --currency THB --country TH'],
      ['payments create', by('probe_transfer')],
      ['payments get pi_1'],
      ['payments cancel pi_1'],
      ['payments submit-receipt pi_1', ['--file', slip]],
      ['payouts list --status processing'],
      ['payouts cancel po_1'],
      ['request POST /payment_intents --data {}'],
    ]
    const runs = await Promise.all(
      tries.map(([words, args]) => shop.paysim(`${words} --dry-run`, args, { env: keyless })),
    )
    for (const { code, stdout, stderr } of runs) {
      expect(code, stderr).toBe(0)
      expect(stdout).toMatch(/^curl /)
      expect(stdout).toContain(world().url)
      expect(stdout).not.toMatch(/[ps]k_(?:test|live)_|Basic /)
    }
    expect(await shop.requests()).toEqual([])
  })
})
