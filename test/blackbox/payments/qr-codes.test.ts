import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { emvChecksum, emvTags, pngOfDataUrl, readQrCode } from '../../support/payments/qr-code.ts'
import { discovering } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account
let stock: Account

beforeAll(async () => {
  account = await openAccount(server())
  stock = await openAccount(server(), { catalogue: undefined })
})

async function fetchPng(url: string): Promise<Buffer> {
  const image = await fetch(url)
  expect(image.status).toBe(200)
  expect(image.headers.get('content-type')).toBe('image/png')
  return Buffer.from(await image.arrayBuffer())
}

describe('a QR code', () => {
  test('has the documented fields and no expiry', async () => {
    const { next_action } = await account.pay('probe_qr')
    expect(next_action).toEqual({
      type: 'display_qr_code',
      qr_data: expect.stringMatching(/^000201/),
      qr_image_url: expect.stringMatching(/^https?:\/\/\S+$/),
      qr_image_data_url: expect.stringMatching(/^data:image\/png;base64,/),
    })
  })

  test('decodes from both images to exactly its data', async () => {
    const { qr_data, qr_image_url, qr_image_data_url } = (await account.pay('probe_qr')).next_action
    expect(readQrCode(pngOfDataUrl(qr_image_data_url))).toBe(qr_data)
    expect(readQrCode(await fetchPng(qr_image_url))).toBe(qr_data)
  })

  test('is created once: every read returns the same', async () => {
    const made = await account.pay('probe_qr')
    await account.advance('1s')
    expect((await account.read(made.id)).next_action).toEqual(made.next_action)
  })

  test('differs from one intent to the next', async () => {
    const [first, second] = [await account.pay('probe_qr'), await account.pay('probe_qr')]
    expect(second.next_action.qr_data).not.toBe(first.next_action.qr_data)
    expect(second.next_action.qr_image_url).not.toBe(first.next_action.qr_image_url)
  })

  test('of an action presented later decodes as well', async () => {
    const own = await openAccount(server())
    const made = await own.pay('probe_later')
    await own.advance('10m')
    const { qr_data, qr_image_data_url } = (await own.read(made.id)).next_action
    expect(readQrCode(pngOfDataUrl(qr_image_data_url))).toBe(qr_data)
  })

  test.each([
    ['15000', '150.00'],
    ['15001', '150.01'],
    ['100', '1.00'],
    ['12345678', '123456.78'],
  ])('of %s satang asks for %s baht', async (amount, baht) => {
    const { qr_data } = (await account.pay('probe_qr', { amount })).next_action
    expect(Number(emvTags(qr_data).get('54'))).toBe(Number(baht))
  })
})

describe("the default catalogue's QR codes", () => {
  test('for Thailand are PromptPay', async () => {
    const { next_action } = await stock.pay('th_promptpay')
    const tags = emvTags(next_action.qr_data)
    expect(`${tags.get('29') ?? ''}${tags.get('30') ?? ''}`).toContain('A0000006770101')
    expect(tags.get('53')).toBe('764')
    expect(tags.get('58')).toBe('TH')
  })

  test.each([
    ['TH', 'THB', '764', /A0000006770101/],
    ['VN', 'VND', '704', /A000000727/],
    ['ID', 'IDR', '360', /QRIS/],
    ['PH', 'PHP', '608', /ppmi|p2pqrpay/i],
    ['MY', 'MYR', '458', /./],
  ])(
    'for %s, if any, are dynamic, follow the national scheme and have a valid checksum',
    async (country, currency, code, scheme) => {
      for (const amount of ['100000', '5000000']) {
        const changes = { amount, country, currency, checkout_mode: 'merchant' }
        const { methods } = (await stock.call('GET', discovering(changes))).body
        for (const method of methods) {
          if (!method.next_action_types.includes('display_qr_code')) continue
          const made = await stock.pay(method.code, { amount, country, currency, ...filling(method) })
          if (made.next_action === null) continue
          const { qr_data, qr_image_data_url, qr_image_url } = made.next_action
          const tags = emvTags(qr_data)
          expect([...tags.keys()][0]).toBe('00')
          expect([...tags.keys()].at(-1)).toBe('63')
          expect(tags.get('01')).toBe('12')
          expect(tags.get('63')).toBe(emvChecksum(qr_data))
          expect(tags.get('53')).toBe(code)
          expect(tags.get('58')).toBe(country)
          expect(qr_data).toMatch(scheme)
          expect(readQrCode(pngOfDataUrl(qr_image_data_url))).toBe(qr_data)
          expect(readQrCode(await fetchPng(qr_image_url))).toBe(qr_data)
        }
      }
    },
  )
})

/** A request of what discovery says the method requires. */
function filling(method: { options: { banks: { code: string }[] } }) {
  return {
    payment_method_options: {
      account_name: 'Somchai Jaidee',
      account_number: '1234567890',
      name_th: 'สมชาย ใจดี',
      ...(method.options.banks[0] && { bank: method.options.banks[0].code }),
    },
  }
}
