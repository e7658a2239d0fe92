import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** Usual paths of Chromium; PAYSIM_CHROMIUM names another one. */
const USUAL_PATHS = [
  // The headless build of Debian takes half the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** The Chromium for browser tests, or the reason why they are skipped. */
function findChromium(): { path: string } | { missing: string } {
  const named = process.env.PAYSIM_CHROMIUM
  if (named) {
    if (existsSync(named)) return { path: named }
    return { missing: `PAYSIM_CHROMIUM names ${named}, and nothing is there` }
  }
  const path = USUAL_PATHS.find(candidate => existsSync(candidate))
  if (path) return { path }
  return { missing: 'no Chromium was found: install one, or name it in PAYSIM_CHROMIUM' }
}

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
  return chromium.launch({
    executablePath: found.path,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      // This saves a process for each browser and each page.
      '--in-process-gpu',
      '--renderer-process-limit=1',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
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
