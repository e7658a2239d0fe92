import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const require = createRequire(import.meta.url)
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Axe must find no problem in the page. It is loaded once per page, and skips passes and frames, which would be most of
 * the work.
 */
export async function expectAccessible(page: Page, state: string, rules?: readonly string[]): Promise<void> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)
  expect(found, state).toEqual([])
}
