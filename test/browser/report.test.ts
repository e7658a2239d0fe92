import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible } from '../support/browser/accessible.ts'
import { noChromium, useBrowser } from '../support/browser/browser.ts'
import { runBinary } from '../support/gateway/server.ts'

const APPS = fileURLToPath(new URL('../explore/apps', import.meta.url))
const HOSTILE =
  '</script></title><img src="http://203.0.113.7/x"><script>document.title = "taken"</script> $& ${x}'

/** An amount that no method takes. */
const FAILS = {
  paysim: 1,
  name: HOSTILE.replace('${x}', ''),
  steps: [{ 'create payment': { amount: '25000', merchant_reference: HOSTILE.replace('${x}', '') } }],
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'paysim-report-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

describe.skipIf(noChromium)('a report as one page', () => {
  const openPage = useBrowser()

  /** It may load nothing but itself, and is accessible in both themes. */
  async function open(file: string) {
    for (const colorScheme of ['dark', 'light'] as const) {
      const { page, watch } = await openPage(pathToFileURL(file).href, {
        colorScheme,
        viewport: { width: 390, height: 844 },
      })
      watch.allow(/^went to another machine: file:[^#?]*report\.html$/)
      await page.evaluate('document.querySelectorAll("details").forEach(one => { one.open = true })')
      await expectAccessible(page, colorScheme)
      if (colorScheme === 'light') return page
    }
    throw new Error('no theme')
  }

  test('shows the scenarios that failed first, and every text as a text', async () => {
    const dir = await folder()
    const report = join(dir, 'report.html')
    await writeFile(join(dir, 'fails.json'), JSON.stringify(FAILS))
    const passes = fileURLToPath(new URL('../../scenarios/receipt-from-an-asset.yaml', import.meta.url))
    const { code } = await runBinary(['run', passes, join(dir, 'fails.json'), '--report', `html=${report}`])
    expect(code).toBe(10)
    const page = await open(report)
    expect(await page.title()).toBe('paysim report')
    expect(await page.locator('h2').allTextContents()).toEqual([
      FAILS.name,
      'A receipt from an asset, which can be attached to one payment only',
    ])
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.getByRole('table').textContent()).toContain('refused: validation_failed')
    expect(await page.locator('.steps').last().textContent()).toContain('✓upload asset')
  })

  test('shows a finding of an exploration beside the plain run, and the scenario that repeats it', async () => {
    const dir = await folder()
    await cp(APPS, dir, { recursive: true })
    const story = join(dir, 'second-try.yaml')
    const text = await readFile(story, 'utf8')
    await writeFile(story, text.replace('app:\n', 'app:\n  fresh: never\n'))
    const report = join(dir, 'report.html')
    const flags = ['--only', 'webhook-twice,webhook-order', '--runs', '2', '--save', dir]
    const shop = ['node', join(dir, 'wrong.mjs'), 'ships-at-each-event-of-two-tries']
    const { code } = await runBinary([
      'explore',
      story,
      ...flags,
      '--report',
      `html=${report}`,
      '--',
      ...shop,
    ])
    expect(code).toBe(10)
    const page = await open(report)
    expect(await page.locator('h1').textContent()).toBe('1 finding')
    expect(await page.locator('.message').textContent()).toBe(
      'Expect app GET /orders/${run}-a is status: paid, shipments: 1: shipments is 2, not 1',
    )
    const [only] = await page.locator('td.only').allTextContents()
    expect(only).toMatch(/was sent payment.succeeded for \$\{run\}-a again, and answered 200$/)
    expect(await page.locator('.beside tbody tr').count()).toBe(5)
    expect(await page.locator('.finding details pre').textContent()).toBe(
      await readFile(join(dir, 'second-try-webhook-twice.yaml'), 'utf8'),
    )
    const kinds = await page.locator('.panel.flush tbody tr').allTextContents()
    expect(kinds.slice(0, 2)).toEqual(['webhook-twice22110', 'webhook-ordernowhere0000'])
  })
})

test('--open needs a page', async () => {
  const { code, stderr } = await runBinary(['run', 'x.yaml', '--open'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --report html=report.html')])
})
