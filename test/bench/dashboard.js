import { chromium } from 'playwright-core'
import { findChromium } from '../support/browser/find-chromium.js'
import { busyMilliseconds, startBare } from './child.js'
import { startProbe } from './fair-time.js'
import { recordName } from './names.js'
import { getJson, postJson, servePaysim } from './paysim.js'
import { median } from './rounds.js'
import { makeLivedStore } from './store.js'
import { shown } from './table.js'

const MOST_BUSY_MS = 20
const MOST_WAIT_MS = 50
const MOST_KILOBYTES = 200
/** From the navigation to the first row that is drawn, and from the last key of a search to its row. */
const MOST_TO_FIRST_ROW_MS = 400
const MOST_TO_FOUND_MS = 500
/** A page is read this often; the first time is shown apart, because what it reads may not be in memory. */
const READS = 10
/** A bare exchange takes so little that few of them could not be measured. */
const BARE_READS = 100
const AUTHORIZATION = 'Basic YmFyZQ=='

/** What each page of the dashboard asks the server for, at each live refresh. */
const pagesOf = ({ count }) => {
  const some = recordName('pi', count - 1)
  return {
    overview: ['/overview'],
    'clock page': ['/clock', '/timers?limit=200'],
    'list of payments': ['/browse/payments?limit=50'],
    'list of payments, failed ones': ['/browse/payments?limit=50&status=failed'],
    'list of webhook deliveries': ['/browse/webhook-deliveries?limit=50'],
    'list of webhook deliveries, failed ones': ['/browse/webhook-deliveries?limit=50&status=failed'],
    'search for a reference': [`/browse/payments?limit=50&q=order-${count - 7}`],
    'search for a part that all have': ['/browse/payments?limit=50&q=somchai'],
    'search for the start of an id': [`/browse/payments?limit=50&q=${some.slice(0, 10)}`],
    "a payment's page": [`/payments/${some}`, `/timeline/${some}`],
    'page 1 of payments, control surface': ['/payments?limit=50'],
  }
}

/** Measures what the pages of an account with many payments cost the server, and how long other calls wait meanwhile. */
export async function measureDashboard({ binary, viewed, rounds }, onEnd) {
  const store = await makeLivedStore(binary, viewed)
  onEnd(store.remove)
  const pages = Object.entries(pagesOf(store))
  const costs = await costsOf(binary, store, pages)
  const seen = await measureInChromium(binary, store, rounds, onEnd)
  const waits = await waitsDuring(binary, store, pages, onEnd)
  const bare = await bareCostsOf(pages, costs)
  const figures = pages.flatMap(([name], nth) => {
    const { first, busy, bytes } = costs[nth]
    return [
      bounded(`${name}, of ${shown(viewed)} payments: processor time`, 'ms', busy, MOST_BUSY_MS),
      { name: '  the first time after a start', unit: 'ms', ours: first },
      bounded('  longest wait of another account', 'ms', waits[nth], MOST_WAIT_MS),
      bounded('  its answers', 'KB', bytes / 1000, MOST_KILOBYTES),
      {
        name: '  against texts of this size from node:http',
        unit: 'ms',
        ours: busy,
        other: bare[nth],
        ratio: busy / bare[nth],
      },
    ]
  })
  return [...figures, ...seen]
}

const bounded = (name, unit, ours, other) => ({ name, unit, ours, other, ratio: ours / other, atMost: 1 })

async function costsOf(binary, { path }, pages) {
  const server = await servePaysim(binary, ['--data', path])
  const busyDuring = async work => {
    const before = busyMilliseconds(server.pid)
    await work()
    return busyMilliseconds(server.pid) - before
  }
  const costs = []
  for (const [, addresses] of pages) {
    let bytes = 0
    const first = await busyDuring(async () => {
      bytes = await read(server, addresses)
    })
    const again = await busyDuring(async () => {
      for (let nth = 0; nth < READS; nth++) await read(server, addresses)
    })
    costs.push({ first, busy: again / READS, bytes })
  }
  await server.stop()
  return costs
}

/** What it costs bare node:http to answer as many calls with texts of the same size, which exist already. */
async function bareCostsOf(pages, costs) {
  const busies = []
  for (const [nth, [, addresses]] of pages.entries()) {
    const length = Math.round(costs[nth].bytes / addresses.length)
    const bare = await startBare('get', { authorization: AUTHORIZATION, prefix: 'pi', count: 1, length })
    const path = `${bare.url}/payment_intents/${recordName('pi', 1)}`
    const before = busyMilliseconds(bare.pid)
    for (let call = 0; call < BARE_READS * addresses.length; call++) await getJson(path, AUTHORIZATION)
    busies.push((busyMilliseconds(bare.pid) - before) / BARE_READS)
    await bare.stop()
  }
  return busies
}

async function waitsDuring(binary, { path }, pages, onEnd) {
  const server = await servePaysim(binary, ['--data', path])
  onEnd(server.stop)
  const { body: other } = await postJson(`${server.root}/merchants`, server.controlAuthorization, {})
  const { public_key, secret_key } = other.accounts[0]
  const probe = await startProbe(server.url, public_key, secret_key)
  onEnd(probe.stop)
  const waits = []
  for (const [, addresses] of pages) {
    await probe.longest()
    for (let nth = 0; nth < READS; nth++) await read(server, addresses)
    waits.push(await probe.longest())
  }
  return waits
}

async function read(server, addresses) {
  let bytes = 0
  for (const address of addresses)
    bytes += Buffer.byteLength((await getJson(server.control + address, server.controlAuthorization)).text)
  return bytes
}

/** Where the first row of a page is. */
const FIRST_ROWS = {
  overview: '.feed a',
  payments: '.list-row .row-link',
}

/** How soon somebody sees something, with an empty cache; each round is a start of the server. */
async function measureInChromium(binary, { path, count }, rounds, onEnd) {
  const found = findChromium()
  if ('missing' in found) {
    console.error(`not measured: the dashboard in Chromium, because ${found.missing}`)
    return []
  }
  const browser = await chromium.launch(found.launch)
  onEnd(() => browser.close())
  const sights = { overview: [], payments: [], again: [], search: [], 'search again': [] }
  for (let round = 0; round < rounds; round++) {
    const server = await servePaysim(binary, ['--data', path])
    const visitor = await openVisitor(browser, server)
    for (const name of Object.keys(FIRST_ROWS)) sights[name].push(await visitor.firstRow(name))
    sights.search.push(await visitor.search(`order-${count - 500}`))
    sights['search again'].push(await visitor.search(`order-${count / 4}`))
    sights.again.push(await visitor.firstRow('payments'))
    await visitor.leave()
    await server.stop()
  }
  const row = (name, sight, most) => {
    const ratios = sights[sight].map(ms => ms / most)
    return {
      ...bounded(name, 'ms', median(sights[sight]), most),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
    }
  }
  const of = `of ${shown(count)} payments, in Chromium`
  return [
    row(`overview, ${of}: first row, after a start`, 'overview', MOST_TO_FIRST_ROW_MS),
    row(`list of payments, ${of}: first row`, 'payments', MOST_TO_FIRST_ROW_MS),
    row('  again', 'again', MOST_TO_FIRST_ROW_MS),
    row(
      `search for one of the last, ${of}: its row, the first time after a start`,
      'search',
      MOST_TO_FOUND_MS,
    ),
    row('  again', 'search again', MOST_TO_FOUND_MS),
  ]
}

/** Somebody who is signed in. */
async function openVisitor(browser, server) {
  const { body: link } = await postJson(`${server.root}/dashboard/links`, server.controlAuthorization, {})
  const visitor = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  await visitor.request.get(link.url, { maxRedirects: 0 })
  return {
    async firstRow(name) {
      const page = await visitor.newPage()
      await page.addInitScript(SEES)
      await page.addInitScript(`sees(${JSON.stringify(FIRST_ROWS[name])}, '')`)
      await page.goto(`${server.root}/dashboard/default.test/${name}`)
      const at = await page.evaluate('seen')
      await page.close()
      return at
    },
    async search(text) {
      const page = await visitor.newPage()
      await page.addInitScript(SEES)
      await page.goto(`${server.root}/dashboard/default.test/payments`)
      await page.locator(FIRST_ROWS.payments).first().waitFor()
      const from = await page.evaluate(`(sees('.list-row', ${JSON.stringify(text)}), performance.now())`)
      await page.getByLabel('Search').fill(text)
      const at = await page.evaluate('seen')
      // The first search goes on through the older ones.
      await page.locator('.list-count', { hasText: /[a-z]$/ }).waitFor()
      await page.close()
      return at - from
    },
    leave: () => visitor.close(),
  }
}

/** `seen` is the time of the first frame that has such an element with such a text. */
const SEES = `globalThis.sees = (selector, text) => {
  globalThis.seen = new Promise(resolve => {
    const look = () => {
      const is = [...document.querySelectorAll(selector)].some(each => each.textContent.includes(text))
      if (is) resolve(performance.now())
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}`
