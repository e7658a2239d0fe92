import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, confirm, press, shows, useDesks } from '../../support/browser/desk.ts'

const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.tagName + " " + (document.activeElement.textContent ?? "").trim()')

describe.skipIf(noChromium)('the dashboard takes care', () => {
  const openDesk = useDesks()

  test('a key is revoked only after a question, which says if it is the last one', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('account')
    await press(page, 'Revoke…')
    await shows(page, /It is the last one/)
    await confirm(page, 'Cancel')
    expect((await desk.control('GET', '/keys')).data).toHaveLength(1)
    await press(page, 'Add a key pair')
    await expect.poll(() => page.getByRole('button', { name: 'Revoke…' }).count()).toBe(2)
    await press(page, 'Revoke…')
    await shows(page, /The other keys stay/)
    await confirm(page, 'Revoke')
    await expect.poll(async () => (await desk.control('GET', '/keys')).data.length).toBe(1)
  })

  test('the standard rules are restored with a way back', async () => {
    const rules = [{ name: 'mine', match: { kind: 'payment' }, outcome: { status: 'succeeded' } }]
    const desk = await openDesk({ rules })
    const { page } = await desk.open('rules')
    await press(page, 'Restore the standard rules')
    await shows(page, 'The standard rules are in force')
    await press(page, 'Undo')
    await expect
      .poll(async () =>
        (await desk.control('GET', '/rules')).rules.map(({ name }: { name?: string }) => name),
      )
      .toEqual(['mine'])
  })

  test('an endpoint is removed, and its secret rotated, only after a question; the secret can be shown', async () => {
    const desk = await openDesk({ webhooks: [{ url: 'http://127.0.0.1:9/hooks' }] })
    const endpoints = async () => (await desk.control('GET', '/webhook-endpoints')).data
    const [{ secret }] = await endpoints()
    const { page } = await desk.open('webhooks')
    await press(page, 'Show the secret')
    await shows(page, secret)
    await press(page, 'Rotate secret…')
    await confirm(page, 'Cancel')
    expect((await endpoints())[0].secret).toBe(secret)
    await press(page, 'Rotate secret…')
    await confirm(page, 'Rotate')
    await expect.poll(async () => (await endpoints())[0].secret).not.toBe(secret)
    await confirm(page, 'Close')
    await press(page, 'Remove…')
    await confirm(page, 'Cancel')
    expect(await endpoints()).toHaveLength(1)
    await press(page, 'Remove…')
    await confirm(page, 'Remove')
    await expect.poll(async () => (await endpoints()).length).toBe(0)
  })

  test('Escape asks before it throws away what was written', async () => {
    const desk = await openDesk()
    const { page } = await desk.open('rules')
    await press(page, 'Edit all')
    const editor = page.getByRole('textbox', { name: /as YAML/ })
    await expect.poll(() => editor.inputValue()).not.toBe('')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await press(page, 'Edit all')
    await expect.poll(() => editor.inputValue()).not.toBe('')
    await editor.fill('- { outcome: { status: failed } }')
    await page.keyboard.press('Escape')
    await shows(page, 'Discard what you changed here?')
    await press(page, 'Keep editing')
    expect(await editor.inputValue()).toContain('failed')
    await page.keyboard.press('Escape')
    await press(page, 'Discard')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect((await desk.control('GET', '/rules')).standard).toBe(true)
  })

  test('a new merchant appears by itself, and the page of a removed one says so', async () => {
    const desk = await openDesk()
    const { page, watch } = await desk.open('payments')
    await shows(page, 'No payments yet')
    const { test: other } = await desk.server.merchant({ name: 'A second shop' })
    await expect
      .poll(() => page.getByLabel('Account', { exact: true }).locator('option').allTextContents())
      .toContain('test · A second shop')
    watch.allow(/answered 404|status of 404/)
    const merchant = desk.account.replace(/\.test$/, '')
    await desk.server.control('DELETE', `/merchants/${merchant}`)
    await shows(page, `There is no account ${desk.account}`)
    expect(other.id).toMatch(/\.test$/)
  })

  test('a long reference widens no page', async () => {
    const desk = await openDesk()
    const { id } = await desk.pay({ merchant_reference: 'R'.repeat(256) })
    await desk.payOut({ merchant_reference: 'P'.repeat(256) })
    for (const width of [390, 1280])
      for (const path of ['overview', 'payments', `payments/${id}`, 'payouts', 'requests', 'clock']) {
        const { page } = await desk.open(path, { viewport: { width, height: 800 } })
        await shows(page, /RRRRRRRR|PPPPPPPP/)
        expect(await page.evaluate(WIDER), `${path} at ${width}`).toEqual([])
      }
  })

  test('with a named fault, the list of requests still shows the time', async () => {
    const desk = await openDesk()
    const name = 'the gateway is down for a while and comes back later with an answer'
    await desk.control('PUT', '/faults', { faults: [{ name, on: '*', type: 'status', status: 503 }] })
    await desk.call('GET', '/payment_intents/pi_none')
    for (const width of [390, 700, 1000, 1280, 1360]) {
      const { page } = await desk.open('requests', { viewport: { width, height: 800 } })
      await shows(page, name)
      const beyond = await page.evaluate<number>(
        `(() => { const box = document.querySelector('.request-rows .scrollable'); return box.scrollWidth - box.clientWidth })()`,
      )
      expect(beyond, `at ${width}`).toBeLessThanOrEqual(0)
    }
  })

  test('the keyboard has a place after a record was opened, on the way back and after the palette', async () => {
    const desk = await openDesk()
    await desk.pay({ merchant_reference: 'order-focus' })
    const { page } = await desk.open('payments')
    await page.getByRole('link', { name: /order-focus/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await expect.poll(() => focused(page)).toMatch(/^H1 /)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Find records/ }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toMatch(/^H1 /)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('row-link')
  })

  test('the border of each field stands out from its ground', async () => {
    const desk = await openDesk()
    for (const colorScheme of ['light', 'dark'] as const)
      for (const path of ['payments', 'clock', 'faults', 'requests']) {
        const { page } = await desk.open(path, { colorScheme })
        await page.locator('input, select, textarea').first().waitFor()
        expect(await page.evaluate(WEAK_BORDERS), `${path}, ${colorScheme}`).toEqual([])
      }
  })

  test('a list that is scrolled without a pause shows its rows', async () => {
    const desk = await openDesk()
    for (let batch = 0; batch < 20; batch++)
      await Promise.all(
        Array.from({ length: 50 }, (_, nth) => desk.payOut({ merchant_reference: `n-${batch * 50 + nth}` })),
      )
    const { page } = await desk.open('payouts')
    await page.getByRole('status').filter({ hasText: '1,000 payouts' }).waitFor()
    expect(await page.evaluate<number>(SCROLLED)).toBeLessThanOrEqual(5)
  })

  test('scripts and styles are sent packed to who can unpack them', async () => {
    const { server } = await openDesk()
    const name = 'main.js'
    const fetched = async (encoding: string) => {
      const response = await fetch(addressOf(server, `assets/${name}`), {
        headers: { 'accept-encoding': encoding },
      })
      return {
        bytes: Buffer.from(await response.arrayBuffer()),
        encoding: response.headers.get('content-encoding'),
        vary: response.headers.get('vary'),
        etag: response.headers.get('etag'),
      }
    }
    const plain = await fetched('identity')
    const packed = await fetched('br, gzip;q=0.5')
    expect(plain.encoding).toBeNull()
    expect(packed.encoding).toBe('gzip')
    expect([plain.vary, packed.vary]).toEqual(['accept-encoding', 'accept-encoding'])
    expect(packed.etag).not.toBe(plain.etag)
    expect((await fetched('gzip;q=0')).encoding).toBeNull()
    // fetch has unpacked it.
    expect(packed.bytes.equals(plain.bytes)).toBe(true)
  })
})

/** What reaches beyond the window, if the page is wider than it. */
const WIDER = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  return [...document.querySelectorAll('body *')]
    .filter(element => element.getBoundingClientRect().right > clientWidth + 1)
    .map(element => element.tagName + '.' + element.className)
})()`

/** Fields whose border has a contrast of less than 3 to 1 with what surrounds them or with what is in them. */
const WEAK_BORDERS = `(() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const groundOf = element => {
    for (let at = element; at; at = at.parentElement) {
      const ground = channels(getComputedStyle(at).backgroundColor)
      if (ground.length < 4 || ground[3] > 0) return ground
    }
    return [255, 255, 255]
  }
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x)
    return (high + 0.05) / (low + 0.05)
  }
  return [...document.querySelectorAll('input, select, textarea')]
    .filter(field => field.checkVisibility() && parseFloat(getComputedStyle(field).borderTopWidth) > 0)
    .map(field => {
      const border = channels(getComputedStyle(field).borderTopColor)
      return [field.name || field.id || field.tagName, contrast(border, groundOf(field.parentElement)), contrast(border, groundOf(field))]
    })
    .filter(([, outside, inside]) => Math.min(outside, inside) < 3)
})()`

/** Of 100 frames in which the list moves by a third of its height, how many show a row that is not loaded. */
const SCROLLED = `(async () => {
  const scroller = document.querySelector('.scroller')
  const frame = () => new Promise(requestAnimationFrame)
  let blank = 0
  for (let nth = 0; nth < 100; nth++) {
    scroller.scrollTop += scroller.clientHeight / 3
    await frame()
    await frame()
    const box = scroller.getBoundingClientRect()
    const isSeen = row => {
      const { top, bottom } = row.getBoundingClientRect()
      return bottom > box.top && top < box.bottom
    }
    if ([...document.querySelectorAll('.list-row.coming')].some(isSeen)) blank++
  }
  return blank
})()`
