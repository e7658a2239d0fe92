import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { findChromium } from './find-chromium.js'

const found = findChromium()

/**
 * For `describe.skipIf(noChromium)`: prints once for each file what is skipped and why. A Chromium that is named must
 * exist.
 */
export const noChromium = 'missing' in found && !process.env.PAYSIM_CHROMIUM
if ('missing' in found && noChromium)
  console.warn(`SKIPPED, the pages are not tested in a browser: ${found.missing}`)

async function openBrowser(): Promise<Browser> {
  if ('missing' in found) throw new Error(found.missing)
  return chromium.launch(found.launch)
}

/** How long to wait for a page. Waits end at once when something appears, so only a busy machine needs this long. */
export const PATIENCE_MS = 90_000

/** Opens a page at this URL. */
export type OpenPage = (address: string, options?: BrowserContextOptions) => Promise<OpenedPage>

export interface OpenedPage {
  readonly page: Page
  readonly watch: PageWatch
}

let browserOfWorker: Promise<Browser> | undefined

/** One browser for all files of a worker. */
export function workerBrowser(): Promise<Browser> {
  browserOfWorker ??= openBrowser()
  return browserOfWorker
}

/**
 * The worker's browser, with pages that fail the test if anything goes wrong in them. Each test has its own pages
 * without cookies. Browser contexts are shared within a file, because creating one takes ten times as long as a page.
 */
export function useBrowser(): OpenPage {
  let browser: Browser
  const windows = new Map<string, Promise<BrowserContext>>()
  const watches: PageWatch[] = []
  const windowWith = (options: BrowserContextOptions): Promise<BrowserContext> => {
    const key = JSON.stringify(options)
    const window = windows.get(key) ?? openWindow(browser, options)
    windows.set(key, window)
    return window
  }
  beforeAll(async () => {
    // A file may also have tests that need no browser.
    if (!noChromium) browser = await workerBrowser()
  })
  afterEach(async () => {
    for (const window of await Promise.all(windows.values())) {
      for (const page of window.pages().slice(1)) await page.close()
      await window.clearCookies()
      await window.clearPermissions()
    }
    for (const watch of watches.splice(0)) watch.expectNothing()
  })
  afterAll(async () => {
    for (const window of await Promise.all(windows.values())) await window.close()
  })
  return async (address, options = {}) => {
    // Animations would be drawn all the time.
    const window = await windowWith({ locale: 'en-GB', reducedMotion: 'reduce', ...options })
    const page = await window.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const watch = watchPage(page)
    watches.push(watch)
    await page.goto(address)
    return { page, watch }
  }
}

/** Opens a context with an empty page that stays open, because a context closes with its last page. */
async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const window = await browser.newContext(options)
  await window.newPage()
  return window
}

export interface PageWatch {
  /** The problems so far. */
  readonly problems: readonly string[]
  /** Expects a problem that the test causes, such as the 403 of a forged link. */
  allow(problem: RegExp): void
  /** Fails if there were other problems. */
  expectNothing(): void
}

/**
 * Detects problems that are not visible in a page: violations of the content security policy, console errors,
 * exceptions, failed requests, and requests to other machines.
 */
export function watchPage(page: Page): PageWatch {
  const problems: string[] = []
  const allowed: RegExp[] = []
  // Chromium reports a policy violation as a console error.
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', error => problems.push(`exception: ${error.stack ?? error.message}`))
  page.on('requestfailed', request => {
    const why = request.failure()?.errorText ?? ''
    // Leaving a page ends its event stream, which is not a problem.
    if (why !== 'net::ERR_ABORTED') problems.push(`failed: ${request.method()} ${request.url()} ${why}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) problems.push(`answered ${response.status()}: ${response.url()}`)
  })
  page.on('request', request => {
    const { protocol, hostname } = new URL(request.url())
    const near = ['data:', 'blob:'].includes(protocol) || LOOPBACK.has(hostname)
    if (!near) problems.push(`went to another machine: ${request.url()}`)
  })
  return {
    problems,
    allow: problem => allowed.push(problem),
    expectNothing: () => {
      expect(problems.filter(problem => !allowed.some(pattern => pattern.test(problem)))).toEqual([])
    },
  }
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])
