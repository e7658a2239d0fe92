import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { environmentOf } from '../../support/cli/shop.ts'
import { noTerminal, openTerminal, type Terminal, type TerminalOptions } from '../../support/cli/terminal.ts'
import type { AccountKeys, Server } from '../../support/gateway/server.ts'
import { workerServer } from '../../support/gateway/worker-server.ts'
import { BINARY } from '../../support/paysim-binary.ts'

/** `payments create` before somebody who sits at a terminal. */

let server: Server
let shop: { test: AccountKeys; live: AccountKeys }
beforeAll(async () => {
  server = await workerServer()
})
beforeEach(async () => {
  shop = await server.merchant()
})
async function sitDown(
  words: string,
  args: readonly string[] = [],
  options: TerminalOptions = {},
  keys = shop.test,
) {
  const env = { ...environmentOf(server.url, keys), ...options.env }
  const terminal = await openTerminal([...words.split(' '), ...args], { columns: 80, ...options, env })
  onTestFinished(() => terminal.close())
  return terminal
}

/** Answers a question once it is asked. Without text, what is suggested will do. */
async function answer(terminal: Terminal, question: string, text = ''): Promise<void> {
  await terminal.waitFor(`? ${question}`)
  if (text !== '') await terminal.type(text)
  await terminal.press('Enter')
  await terminal.waitFor(`✔ ${question}`)
}

/** Goes down to a choice, and takes it. */
async function pick(terminal: Terminal, question: string, choice: string): Promise<void> {
  for (let screen = await terminal.waitFor(`? ${question}`); !screen.includes(`❯ ${choice}`); ) {
    const [marked = ''] = /❯ .*/.exec(screen) ?? []
    await terminal.press('Down')
    screen = await terminal.waitFor(new RegExp(`❯ (?!${escaped(marked.slice(2))})\\S`))
  }
  await terminal.press('Enter')
  await terminal.waitFor(`✔ ${question}`)
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

async function payments(keys = shop.test) {
  const { body } = await server.control('GET', `/accounts/${keys.id}/payments`)
  return body.data
}

describe.skipIf(noTerminal)('a person creates a payment', () => {
  test('by bank transfer: answers all questions, sees the command; stdout has only the body', async () => {
    const terminal = await sitDown('payments create -o json', [], { stdout: 'payment.json' })
    await answer(terminal, 'Amount', '1,234.50 THB')
    await answer(terminal, 'Country')
    await pick(terminal, 'Checkout:', 'merchant')
    await pick(terminal, 'Payment method:', 'Transfer from your own bank account')
    await terminal.waitFor(/\? Bank:\s+❯/)
    await terminal.type('SIAM comm')
    // By name in any case; one is left.
    await terminal.waitFor(/\? Bank: SIAM comm\n❯ Siam Commercial Bank \(scb\)\n\s*\n/)
    for (let typed = 0; typed < 9; typed++) await terminal.press('BSpace')
    await terminal.type('kkp')
    await terminal.waitFor(/\? Bank: kkp\n❯ Kiatnakin Phatra Bank \(kkp\)\n\s*\n/)
    await terminal.press('Enter')
    await answer(terminal, "Name of the payer's account:", "O'Jaidee $HOME `id`")
    await answer(terminal, "Number of the payer's account:", '0012345678')
    await answer(terminal, "Payer's name in Thai:", 'สมชาย ใจดี')
    await answer(terminal, 'Your reference:')
    expect(await terminal.waitFor('? Create this payment?')).toContain('1,234.50 THB  123450 in minor units')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(0)

    const [made] = await payments()
    const text = await readFile(join(terminal.cwd, 'payment.json'), 'utf8')
    const { id, merchant_reference } = JSON.parse(text)
    expect(made).toMatchObject({
      id,
      amount: '123450',
      payment_method: 'th_named_transfer',
      payment_method_options: {
        bank: 'kkp',
        account_name: "O'Jaidee $HOME `id`",
        account_number: '0012345678',
        name_th: 'สมชาย ใจดี',
      },
    })
    expect(merchant_reference).toMatch(/^order-[\da-f]{8}$/)
    const screen = await terminal.capture()
    expect(screen).not.toContain(shop.test.secret_key)
    expect(screen).not.toContain(id)

    const again = await inShell(
      /The same without questions:\n {2}(paysim .*)/.exec(screen)?.[1] ?? '',
      terminal.cwd,
    )
    const { id: _, ...same } = (await payments()).find(
      (one: { id: string }) => one.id === JSON.parse(again).id,
    )
    const { customer, payment_method_options, merchant_reference: reference } = made
    expect(same).toMatchObject({ customer, payment_method_options, merchant_reference: reference })
  })

  test('on the hosted page: answers only what is missing', async () => {
    const terminal = await sitDown('payments create', ['--currency', 'VND', '--country', 'VN'], {
      columns: 120,
    })
    await answer(terminal, 'Amount', '50,000 VND')
    await pick(terminal, 'Checkout:', 'hosted')
    await pick(terminal, 'Payment method:', 'let the payer choose')
    await answer(terminal, 'Your reference:', 'order-hosted')
    await terminal.waitFor('? Return URL for the payer')
    await terminal.type('shop.example')
    await terminal.press('Enter')
    await terminal.waitFor('Enter an http or https URL.')
    await terminal.press('C-u')
    await terminal.type('https://shop.example/thanks?a=1&b=2')
    await terminal.press('Enter')
    await answer(terminal, 'Create this payment?')
    expect(await terminal.exit()).toBe(0)
    const [made] = await payments()
    expect(made).toMatchObject({
      amount: '50000',
      currency: 'VND',
      payment_method: null,
      merchant_reference: 'order-hosted',
      return_url: 'https://shop.example/thanks?a=1&b=2',
    })
    const screen = await terminal.capture()
    expect(screen).toContain(`paysim payments wait ${made.id}`)
    expect(screen).toContain("--return-url 'https://shop.example/thanks?a=1&b=2'")
    expect(screen).not.toContain('? Country')
  })

  test('is asked again only for what the server found missing', async () => {
    const args = ['--amount', '100 THB', '--country', 'TH', '--checkout-mode', 'merchant']
    const method = [
      '--payment-method',
      'th_bank_transfer',
      '--merchant-reference',
      'order-1',
      '--query',
      'status',
    ]
    const terminal = await sitDown('payments create', [...args, ...method])
    await terminal.waitFor('! customer.name: is required')
    await answer(terminal, "Payer's name:", 'Somchai')
    await answer(terminal, 'Create this payment?')
    expect(await terminal.exit()).toBe(0)
    expect(await payments()).toMatchObject([{ customer: { name: 'Somchai' } }])
  })

  test('hears at once that a currency or a country does not exist, however it was named', async () => {
    const terminal = await sitDown('payments create', ['--country', 'zz', '--set', 'amount=12.5'])
    const screen = await terminal.waitFor('? Amount')
    expect(screen).toContain('! ZZ is not an ISO 3166-1 country code, such as TH or VN.')
    expect(screen).toContain('! 12.5 is not an amount in minor units, such as 123450.')
    await answer(terminal, 'Amount', '1000')
    await terminal.waitFor('? Currency')
    await terminal.type('thx')
    await terminal.press('Enter')
    await terminal.waitFor('THX is not an ISO 4217 currency code, such as THB or VND.')
    await terminal.press('C-u')
    await answer(terminal, 'Currency', 'thb')
    await answer(terminal, 'Country')
    await terminal.waitFor('? Checkout:')
    await terminal.press('C-c')
    expect(await terminal.exit()).toBe(130)
  })

  test('is asked for other terms when no method accepts these', async () => {
    const terminal = await sitDown('payments create')
    await answer(terminal, 'Amount', '10 THB')
    await terminal.waitFor('? Country')
    await terminal.type('vn')
    await terminal.press('Enter')
    await pick(terminal, 'Checkout:', 'hosted')
    await terminal.waitFor('No method is available for 10.00 THB in VN with hosted checkout')
    await terminal.waitFor(/No method[\s\S]*\? Amount[^\n]*\(1000\)/)
    await terminal.press('C-c')
    expect(await terminal.exit()).toBe(130)
  })

  test('and declines in the end: nothing is sent', async () => {
    const args = ['--amount', '100 THB', '--country', 'TH', '--checkout-mode', 'hosted']
    const terminal = await sitDown('payments create', args)
    await pick(terminal, 'Payment method:', 'PromptPay')
    await answer(terminal, 'Your reference:')
    await answer(terminal, 'Return URL for the payer')
    await terminal.waitFor('? Create this payment?')
    await terminal.type('n')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(2)
    expect(await terminal.capture()).toContain('not confirmed: nothing was changed')
    expect(await payments()).toEqual([])
  })

  test.each([
    ['Ctrl-C', 'C-c'],
    ['Ctrl-D', 'C-d'],
  ])('%s in a question ends it with 130, and nothing is sent', async (_, key) => {
    const terminal = await sitDown('payments create', ['--amount', '100 THB'])
    await terminal.waitFor('? Country')
    await terminal.press(key)
    expect(await terminal.exit()).toBe(130)
    expect(await terminal.capture()).not.toContain('Error')
    expect(await payments()).toEqual([])
  })

  test('and is not asked with --no-input', async () => {
    const terminal = await sitDown('payments create --no-input')
    expect(await terminal.exit()).toBe(2)
    const shown = (await terminal.capture()).replaceAll(/\s+/g, ' ')
    expect(shown).toContain('--amount, --currency, --country and --merchant-reference')
  })
})

describe.skipIf(noTerminal)('with a live key', () => {
  const WHOLE = ['--amount', '100 THB', '--country', 'TH', '--merchant-reference', 'order-live']

  test('yes creates it', async () => {
    const terminal = await sitDown('payments create', WHOLE, {}, shop.live)
    await terminal.waitFor('Create a payment of 100.00 THB?')
    await terminal.type('y')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(0)
    expect(await payments(shop.live)).toHaveLength(1)
  })

  test('any other answer does not, and Enter means no', async () => {
    const terminal = await sitDown('payments create', WHOLE, {}, shop.live)
    await terminal.waitFor('Create a payment of 100.00 THB?')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(2)
    expect(await terminal.capture()).toContain('not confirmed')
    expect(await payments(shop.live)).toEqual([])
  })
})

/** What the command prints that somebody copies from the screen into a shell. */
async function inShell(command: string, folder: string): Promise<string> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'paysim'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, {
    mode: 0o755,
  })
  const env = { ...cleanEnvironment(folder), ...environmentOf(server.url, shop.test) }
  const { stdout } = await execa('sh', ['-c', command], {
    env: { ...env, PATH: `${bin}:${process.env.PATH}` },
    extendEnv: false,
  })
  return stdout
}
