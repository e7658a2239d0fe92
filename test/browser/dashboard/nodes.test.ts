import { describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible } from '../../support/browser/accessible.ts'
import { noChromium, useBrowser } from '../../support/browser/browser.ts'
import { startCluster } from '../../support/cluster/cluster.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

/** The page of the processes that serve one database, as any of them shows it. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`The page of the nodes is not tested with PostgreSQL here: ${reason}`)

describe.skipIf(noChromium || reason !== undefined)('the nodes page', () => {
  const look = useBrowser()

  test('lists processes and merchants through the balancer, at any width', async () => {
    const store = await (await workerPostgres()).newDatabase()
    const { server, nodes } = await startCluster({ store, nodes: 3 })
    onTestFinished(() => server.kill())
    for (const id of ['acme', 'blue-shop']) await server.merchant({ id })
    const { url } = (await server.control('POST', '/dashboard/links')).body
    const { page } = await look('about:blank', { timezoneId: 'UTC' })
    await page.context().request.get(url, { maxRedirects: 0 })
    await page.goto(`${server.controlUrl}/dashboard/acme.test/nodes`)
    const processes = page.getByRole('table', { name: 'Processes' }).locator('tbody tr')
    const merchants = page.getByRole('table', { name: 'Merchants' }).locator('tbody tr')
    await expect.poll(() => processes.count()).toBe(3)
    for (const { listen } of nodes) await processes.filter({ hasText: listen }).waitFor()
    await merchants.filter({ hasText: 'blue-shop' }).waitFor()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 })
      await expectAccessible(page, `nodes, ${width} px wide`)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    await page.getByLabel('Search').fill('BLUE')
    await expect.poll(() => merchants.count()).toBe(1)
    await page.getByLabel('Search').fill('nothing')
    await page.getByText('No such merchant').waitFor()
  })
})
