import { describe, expect, test } from 'vitest'
import { expectAccessible } from '../../support/browser/accessible.ts'
import { noChromium } from '../../support/browser/browser.ts'
import { PHONE, says, useShop } from '../../support/browser/checkout-shop.ts'

/** A payer types what they call their bank: a code, an app, a short name, in Latin letters or Thai. */

const shop = useShop()

/** The page of a payment, with a method unfolded. */
async function unfolded(method: string, sells: Record<string, unknown> = {}, lang = 'en') {
  const { id, url } = await shop().sell({ customer: { name: 'Malee Srisuk' }, ...sells })
  const { page, watch } = await shop().visit(`${url}&lang=${lang}`, PHONE)
  const card = page.locator('details', { has: page.locator(`input[name=method][value=${method}]`) })
  // A method that is the only one is unfolded already.
  if ((await card.getAttribute('open')) === null) await card.locator('summary').click()
  return { id, page, watch, field: card.getByRole('combobox'), pay: card.locator('button.primary'), card }
}

const EVERYDAY: Record<string, { sells?: Record<string, unknown>; finds: Record<string, string[]> }> = {
  th_bank_transfer: {
    finds: {
      scb: ['scb', 'SCB', 'SCB Easy', 'ไทยพาณิชย์'],
      kbank: ['kbank', 'KBANK', 'k bank', 'kplus', 'K-Plus', 'kasikorn', 'กสิกร', 'ธนาคารกสิกรไทย'],
      ktb: ['ktb', 'krung thai', 'กรุงไทย'],
      bay: ['bay', 'krungsri', 'Ayudhya', 'กรุงศรี'],
      bbl: ['BBL', 'bangkok', 'กรุงเทพ', 'บัวหลวง'],
      ttb: ['ttb', 'TMB', 'thanachart', 'ธนชาต'],
      gsb: ['gsb', 'ออมสิน'],
      baac: ['baac', 'ธกส', 'ธ.ก.ส.'],
    },
  },
  vn_bank_transfer: {
    sells: { country: 'VN', currency: 'VND' },
    finds: {
      vcb: ['vcb', 'Vietcombank', 'ngoai thuong', 'Ngoại thương'],
      tcb: ['TCB', 'techcom', 'ky thuong'],
      mbb: ['mb', 'mbbank', 'quan doi', 'Quân đội'],
      ctg: ['vietin', 'cong thuong'],
      bidv: ['dau tu'],
      acb: ['acb', 'a chau'],
      stb: ['sacom'],
    },
  },
  id_bank_transfer: {
    sells: { country: 'ID', currency: 'IDR' },
    finds: { bca: ['bca', 'BCA'], bni: ['bni'], bri: ['BRI', 'brimo'], mandiri: ['mandiri'], bsi: ['bsi'] },
  },
  ph_bank_transfer: {
    sells: { country: 'PH', currency: 'PHP', customer: { name: 'Ana Cruz', phone: '+639171234567' } },
    finds: { bdo: ['BDO', 'banco de oro'], bpi: ['bpi'], landbank: ['landbank'], unionbank: ['union bank'] },
  },
  my_fpx: {
    sells: { country: 'MY', currency: 'MYR' },
    finds: { maybank: ['maybank', 'm2u'], cimb: ['cimb'], rhb: ['RHB'], bsn: ['bsn'], public_bank: ['pbb'] },
  },
}

/**
 * The bank that is chosen when the field is left with the Tab key, for one name after another. All of them in one call
 * of the page: a call for each key takes twenty times as long.
 */
const chosenWith = (method: string, names: readonly string[]) => `(() => {
  const card = document.querySelector('input[name=method][value=${method}]').closest('details')
  const field = card.querySelector('[role=combobox]')
  return ${JSON.stringify(names)}.map(name => {
    field.focus()
    field.value = name
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }))
    field.blur()
    return card.querySelector('select').value
  })
})()`

describe.skipIf(noChromium)('the search for a bank', () => {
  test.each(Object.keys(EVERYDAY).flatMap(method => ['en', 'th'].map(lang => [method, lang])))(
    'of %s finds codes and everyday names, on a page in %s',
    async (method = '', lang = '') => {
      const { sells, finds } = EVERYDAY[method] ?? { finds: {} }
      const { page } = await unfolded(method, sells, lang)
      const names = Object.values(finds).flat()
      const chosen = (await page.evaluate(chosenWith(method, names))) as string[]
      const found: Record<string, string[]> = {}
      for (const [nth, name] of names.entries()) {
        const code = chosen[nth] ?? ''
        found[code] = [...(found[code] ?? []), name]
      }
      expect(found).toEqual(finds)
    },
  )

  test('lists every matching bank and accepts a choice from the keyboard', async () => {
    const { id, page, field } = await unfolded('th_bank_transfer')
    await field.fill('krung')
    expect(await page.getByRole('option').allTextContents()).toEqual([
      'Krungthai Bank · ธนาคารกรุงไทย',
      'Bank of Ayudhya (Krungsri) · ธนาคารกรุงศรีอยุธยา',
    ])
    await field.press('Enter')
    expect(await field.inputValue()).toBe('Krungthai Bank · ธนาคารกรุงไทย')
    await field.press('Enter')
    await says(page, 'Transfer the amount')
    expect(await bankOf(id)).toBe('ktb')
  })

  test('uses the only matching bank if one was typed but not chosen', async () => {
    const { id, page, field, pay } = await unfolded('th_bank_transfer')
    await field.fill('KTB')
    await field.press('Escape')
    await pay.click()
    await says(page, 'Transfer the amount')
    expect(await bankOf(id)).toBe('ktb')
  })

  test.each([
    ['krung', 'Several banks match.'],
    ['xyz', 'No bank found.'],
  ])('sends nothing when %s was typed, and says why', async (typed, why) => {
    const { id, page, field, pay, card } = await unfolded('th_bank_transfer')
    await field.fill(typed)
    await field.press('Escape')
    await pay.click()
    await card.locator('.problem').getByText(why).waitFor()
    expect(await field.inputValue()).toBe(typed)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('input[role=combobox]:focus').inputValue()).toBe(typed)
    await expectAccessible(page, `after ${typed}`)
    expect((await shop().read(id)).payment_method).toBeNull()
    // What was missing is made up for, and the form goes.
    await field.fill('กรุงไทย')
    await field.press('Enter')
    await pay.click()
    await says(page, 'Transfer the amount')
    expect(await bankOf(id)).toBe('ktb')
  })

  test('sends no bank if the optional field is left empty', async () => {
    const { id, page, field, pay } = await unfolded('th_bank_transfer')
    await field.fill('krung')
    await field.fill('')
    await pay.click()
    await says(page, 'Transfer the amount')
    expect(await bankOf(id)).toBeUndefined()
  })

  test('finds the codes and labels of a custom catalogue', async () => {
    const { test: account } = await shop().server.merchant({ catalogue: OWN })
    const body = { amount: '100', currency: 'EUR', country: 'DE', merchant_reference: 'a', customer: {} }
    const made = await shop().server.as(account)('POST', '/payment_intents', { body })
    const { page } = await shop().visit(made.body.next_action.url, PHONE)
    const field = page.getByRole('combobox')
    for (const [typed, code] of [
      ['muller', 'm"1'],
      ['MÜLLER', 'm"1'],
      ['nord', 'x_nrd-2'],
      ['x_nrd', 'x_nrd-2'],
      ['xnrd2', 'x_nrd-2'],
      ['m"1', 'm"1'],
    ] as const) {
      await field.fill(typed)
      await field.press('Tab')
      expect(await page.locator('select').inputValue(), typed).toBe(code)
    }
  })
})

describe('without scripts', () => {
  const choose = async (url: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ act: 'choose', method: 'th_mobile_banking', ...fields })
    const sent = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    return { status: sent.status, page: await sent.text() }
  }

  test('shows an error at the field of a missing required bank', async () => {
    const { id, url } = await shop().sell()
    const { status, page } = await choose(url, { bank: '' })
    expect(status).toBe(400)
    expect(page).toMatch(
      /<select name="bank"[^>]* required aria-invalid="true" aria-describedby="([\w-]+)"[\s\S]*?<p class="problem" id="\1">Please choose your bank/,
    )
    expect((await shop().read(id)).payment_method).toBeNull()
    expect((await choose(url, { bank: 'kbank' })).status).toBe(303)
    expect(await bankOf(id)).toBe('kbank')
  })
})

const bankOf = async (id: string) => {
  const { server, account } = shop()
  const { body } = await server.control('GET', `/accounts/${account.id}/payments`)
  return body.data.find((payment: { id: string }) => payment.id === id)?.payment_method_options?.bank
}

const OWN = {
  providers: [{ id: 'p' }],
  methods: [
    {
      code: 'de_transfer',
      label: 'Überweisung',
      category: 'bank_transfer',
      banks: [
        { code: 'm"1', label: 'Bankhaus Müller & <Söhne>' },
        { code: 'x_nrd-2', label: 'Nordbank' },
      ],
    },
  ],
  routes: [
    {
      id: 'r',
      provider: 'p',
      method: 'de_transfer',
      local_code: 'x',
      environments: ['test'],
      country: 'DE',
      currency: 'EUR',
      checkout_modes: ['hosted'],
      action: 'display_bank_transfer_instructions',
      payer: { bank: true },
      banks: { 'm"1': '1', 'x_nrd-2': '2' },
      receipt: 'none',
      cancel_pending: true,
    },
  ],
}
