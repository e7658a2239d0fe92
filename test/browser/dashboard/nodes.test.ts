import { describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible } from '../../support/browser/accessible.ts'
import { noChromium, useBrowser } from '../../support/browser/browser.ts'
import { startCluster } from '../../support/cluster/cluster.ts'
import { driverOf, type Server } from '../../support/gateway/server.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

/** The page of the processes that serve one database, as any of them shows it. */

/** The callers of one process alone. */
const at = ({ listen, controlToken, accounts }: Server) =>
  driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`The page of the nodes is not tested with PostgreSQL here: ${reason}`)

describe.skipIf(noChromium || reason !== undefined)('the nodes page', () => {
  const look = useBrowser()

  test('lists processes, and merchants with who holds them, through the balancer and at any width', async () => {
    const store = await (await workerPostgres()).newDatabase()
    const { server, nodes } = await startCluster({ store, nodes: 3 })
    onTestFinished(() => server.kill())
    const [first, second] = nodes
    if (!first || !second) throw new Error('two processes')
    // Whichever process is asked to create a merchant holds it at first.
    const held = { acme: first, 'blue-shop': second }
    for (const [id, node] of Object.entries(held)) await at(node).merchant({ id })
    const { url } = (await server.control('POST', '/dashboard/links')).body
    const { page } = await look('about:blank', { timezoneId: 'UTC' })
    await page.context().request.get(url, { maxRedirects: 0 })
    await page.goto(`${server.controlUrl}/dashboard/acme.test/nodes`)
    const processes = page.getByRole('table', { name: 'Processes' }).locator('tbody tr')
    const merchants = page.getByRole('table', { name: 'Merchants' }).locator('tbody tr')
    await expect.poll(() => processes.count()).toBe(3)
    for (const { listen } of nodes) await processes.filter({ hasText: listen }).waitFor()
    const names = await processes.locator('code').allTextContents()
    expect(new Set(names).size).toBe(3)
    // A merchant may move to another process meanwhile, so the page is compared with what is told at that time.
    for (const id of Object.keys(held)) {
      const row = merchants.filter({ has: page.getByText(id, { exact: true }) })
      const compared = async () => ({
        shown: await row.locator('td[data-title="Held by"]').textContent(),
        told: (await server.control('GET', `/nodes?q=${id}`)).body.holdings.data[0].node,
      })
      await expect
        .poll(compared)
        .toSatisfy(({ shown, told }) => shown === told && names.includes(shown), `shows who holds ${id}`)
    }
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
