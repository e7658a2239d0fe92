import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const require = createRequire(import.meta.url)
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Axe must find no problem in the page. It is loaded once per page, and skips passes and frames, which would be most of
 * the work. The contrast of its texts is looked at apart.
 */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  const options = { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: false } } }
  await loadAxe(page)
  expect(
    await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(${PROBLEMS})`),
    state,
  ).toEqual([])
  await expectContrast(page, state)
}

/** The looks of texts whose contrast was found sufficient, in all pages. */
const looked = new Set<string>()

/**
 * Axe must find enough contrast in each text that looks different from all those before, whatever page they were on: it
 * takes axe longer than everything else, and most texts look as others do.
 */
export async function expectContrast(page: Page, state: string): Promise<void> {
  const found = await page.evaluate<string[]>(LOOKS)
  const fresh = found.filter(look => !looked.has(look))
  if (fresh.length === 0) return
  await loadAxe(page)
  const options = { resultTypes: ['violations'], runOnly: ['color-contrast'] }
  const elements = `${JSON.stringify(fresh)}.map(look => looks.get(look))`
  expect(
    await page.evaluate(`axe.run({ include: ${elements} }, ${JSON.stringify(options)}).then(${PROBLEMS})`),
    state,
  ).toEqual([])
  for (const look of fresh) looked.add(look)
}

async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
}

const PROBLEMS = `({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | '))`

/**
 * The texts that can be seen, by how they look: all that decides about their contrast. Of each look, the page keeps one
 * element in `looks`. A text below something else has no look of its own, since what is above it decides.
 */
const LOOKS = `(() => {
  const grounds = new Map()
  const groundOf = element => {
    if (!element) return ''
    const known = grounds.get(element)
    if (known !== undefined) return known
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = getComputedStyle(element)
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(' ')
    const ground = groundOf(element.parentElement) + (own === NONE ? '' : '/' + own)
    grounds.set(element, ground)
    return ground
  }
  const NONE = 'rgba(0, 0, 0, 0) none 1 none normal'
  const isBelow = element => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const highest = document.elementFromPoint(left + width / 2, top + height / 2)
    return highest !== null && !element.contains(highest) && !highest.contains(element)
  }
  window.looks = new Map()
  const seen = []
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== '')
    const isField = ['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName)
    if (!(hasText || isField) || !element.checkVisibility() || isBelow(element)) continue
    const { color, fontSize, fontWeight, textShadow, visibility, clipPath } = getComputedStyle(element)
    const isOff = element.closest(':disabled, [aria-disabled="true"], label') !== null
    const look = [element.tagName, color, fontSize, fontWeight, textShadow, visibility, clipPath, isOff, groundOf(element)].join(' ')
    if (looks.has(look)) continue
    looks.set(look, element)
    seen.push(look)
  }
  return seen
})()`
