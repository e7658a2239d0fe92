import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, expectContrast } from '../../support/browser/accessible.ts'
import { noChromium } from '../../support/browser/browser.ts'
import { addressOf, follow, press, useDesks } from '../../support/browser/desk.ts'
import { FURNISHED, furnish, show } from '../../support/browser/furnished-desk.ts'

/** Each state of each page is opened once: axe looks at it in both themes, and nothing of it is cut off at any width. */

const HEIGHT = 860
const WIDTHS = [1280, 768, 390]
const PHONE = { viewport: { width: 390, height: 844 } }
const EMPTY = ['overview', 'payments', 'payouts', 'requests', 'webhooks', 'faults', 'clock', 'nodes']

/**
 * What cannot be read at this width: text cut off by the box it is in, and whatever stands beyond the window or can be
 * seen only by scrolling sideways. A paragraph in a box twice as high has got the style of something else. What only screen
 * readers are to have is not looked at.
 */
const CUT_OFF = `(() => {
  const problems = []
  const name = element => element.tagName.toLowerCase() + '.' + element.className + ' “' + element.textContent.trim().slice(0, 50) + '”'
  const heightOfContent = element => {
    const all = document.createRange()
    all.selectNodeContents(element)
    const { paddingTop, paddingBottom } = getComputedStyle(element)
    return all.getBoundingClientRect().height + parseFloat(paddingTop) + parseFloat(paddingBottom)
  }
  const isUnseen = element => {
    for (let box = element; box; box = box.parentElement)
      if (getComputedStyle(box).clipPath === 'inset(50%)') return true
    return element.closest('svg, .skip') !== null
  }
  for (const element of document.querySelectorAll('body *')) {
    if (isUnseen(element) || !element.checkVisibility()) continue
    const { left, right, width, height } = element.getBoundingClientRect()
    if (width === 0 || height === 0) continue
    const { overflowX, display } = getComputedStyle(element)
    const isCut = element.scrollWidth > element.clientWidth + 1
    if (overflowX !== 'visible' && display !== 'inline' && element.tagName !== 'SELECT' && isCut)
      problems.push('does not fit (' + overflowX + '): ' + name(element))
    if (right > innerWidth + 1 || left < -1) problems.push('beyond the window: ' + name(element))
    if (element.tagName === 'P' && heightOfContent(element) < height / 2) problems.push('mostly empty: ' + name(element))
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page is wider than the window')
  return problems
})()`

/** In both themes: between them, only the colours differ. */
async function expectBothAccessible(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await expectAccessible(page, state)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectContrast(page, `${state}, dark`)
}

/** A page that was just made narrower is laid out again in the next frame. */
const expectNothingCutOff = (page: Page, state: string) =>
  expect.poll(() => page.evaluate(CUT_OFF), { message: state, interval: 20 }).toEqual([])

describe.skipIf(noChromium)('a page of the dashboard', () => {
  const openDesk = useDesks()

  test('is accessible and fits every width in each of its states', { timeout: 480_000 }, async () => {
    const desk = await openDesk(FURNISHED)
    const { page } = await desk.open('overview')
    for (const state of await furnish(desk)) {
      await page.setViewportSize({ width: 1280, height: HEIGHT })
      await show(page, desk, state)
      await expectBothAccessible(page, state.name)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT })
        await expectNothingCutOff(page, `${state.name}, ${width} px wide`)
      }
    }
  })

  test('is accessible when empty, and on a phone with its menu open', {
    timeout: 120_000,
  }, async () => {
    const empty = await openDesk()
    const { page } = await empty.open('overview', PHONE)
    for (const path of EMPTY) {
      await follow(page, addressOf(empty.server, `${empty.account}/${path}`))
      await page.locator('.empty').first().waitFor()
      await expectBothAccessible(page, path)
    }
    await press(page, 'Menu')
    await page.getByRole('navigation').waitFor()
    await expectBothAccessible(page, 'the menu')
    for (const width of [390, 768]) {
      await page.setViewportSize({ width, height: HEIGHT })
      await expectNothingCutOff(page, `the menu, ${width} px wide`)
    }
  })

  test('is accessible before signing in, and for an account that does not exist', async () => {
    const desk = await openDesk()
    const { page } = await desk.visit(addressOf(desk.server, '?link=used'))
    await page.getByRole('alert').waitFor()
    await expectBothAccessible(page, 'sign-in')
    const inside = await desk.open('overview')
    await inside.page.goto(addressOf(desk.server, 'nobody.test/payments'))
    await inside.page.getByRole('heading', { name: 'There is no account nobody.test' }).waitFor()
    await expectBothAccessible(inside.page, 'unknown account')
  })
})
