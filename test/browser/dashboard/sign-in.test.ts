import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, PATIENCE_MS, watchPage, workerBrowser } from '../../support/browser/browser.ts'
import { addressOf, press, shows } from '../../support/browser/desk.ts'
import { removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'

describe.skipIf(noChromium)('signing in to the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await workerBrowser()
  })

  const newPage = async () => {
    const page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    onTestFinished(() => page.context().close())
    return { page, watch: watchPage(page) }
  }

  async function serve(args: string[], dataDir?: string): Promise<Server> {
    const server = await startServer({ args, ...(dataDir === undefined ? {} : { dataDir }) })
    onTestFinished(async () => {
      await server.stop()
      await removeDirectory(server.dataDir)
    })
    return server
  }

  const linkOf = async (server: Server): Promise<string> =>
    (await server.control('POST', '/dashboard/links')).body.url

  test('works once with a link, and with the token', async () => {
    const server = await serve(['--control-token', 'the-token'])
    const link = await linkOf(server)
    const first = await newPage()
    await first.page.goto(link)
    await first.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(first.page.url()).toBe(addressOf(server, 'default.test/overview'))
    expect(await first.page.evaluate('document.cookie')).toBe('')
    first.watch.expectNothing()

    const second = await newPage()
    await second.page.goto(link)
    await shows(second.page, 'This link has been used or has expired.')
    await shows(second.page, 'paysim sim dashboard')
    second.watch.allow(/401/)
    await second.page.getByLabel(/control token/).fill('not-the-token')
    await press(second.page, 'Sign in')
    await shows(second.page, 'This is not the control token of this server')
    await second.page.getByLabel(/control token/).fill('the-token')
    await second.page.keyboard.press('Enter')
    await second.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await press(second.page, 'Sign out')
    await second.page.getByRole('heading', { level: 1, name: 'Sign in to paysim' }).waitFor()
    await second.page.reload()
    await second.page.getByRole('heading', { level: 1, name: 'Sign in to paysim' }).waitFor()
    second.watch.expectNothing()
  })

  test('a session survives a restart, and missed changes are shown', async () => {
    const port = String(await claimedPort())
    const first = await serve(['--control-token', 'the-token', '--clock', 'virtual', '--port', port])
    const { page, watch } = await newPage()
    // What is on its way when a server stops is refused, or does not arrive.
    watch.allow(
      /503|ERR_(CONNECTION_REFUSED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|NETWORK_CHANGED)/,
    )
    await page.goto(await linkOf(first))
    await page.goto(addressOf(first, 'default.test/payouts'))
    await shows(page, 'No payouts yet')
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await first.stop()
    await page.locator('.sidebar .connection.lost').waitFor()

    const again = await serve(['--control-token', 'the-token', '--port', port], first.dataDir)
    await again.control('POST', '/accounts/default.test/payouts', {
      body: {
        amount: '5000',
        currency: 'THB',
        country: 'TH',
        merchant_reference: 'made-meanwhile',
        recipient: { bank_code: 'bbl', holder_name: 'Somchai', account_number: '1234567890' },
      },
    })
    await shows(page, 'made-meanwhile')
    watch.expectNothing()
    await again.stop()

    // Another token, another session: the old one opens nothing. The page may ask for more before it knows.
    watch.allow(/401/)
    await serve(['--control-token', 'another-token', '--port', port], first.dataDir)
    await page.getByRole('heading', { level: 1, name: 'Sign in to paysim' }).waitFor()
    watch.expectNothing()
  })
})
