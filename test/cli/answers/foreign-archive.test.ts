import { readdir } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

const place = useWorkplace()

const ARCHIVE = '{"paysim":1,"account":"default.test","seed":"s","entries":[],"images":{}}'

async function exporting(bytes: string | Buffer, ...flags: string[]) {
  const { url, close } = await openSite((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(bytes)
  })
  onTestFinished(close)
  const env = { PAYSIM_CONTROL_URL: url, PAYSIM_CONTROL_TOKEN: 'a-token-of-sixteen' }
  return place().paysim(['sim', 'export', ...flags], { env })
}

const FOREIGN: readonly (readonly [string, string | Buffer])[] = [
  ['a text', 'hello, not an archive'],
  ['compressed bytes', gzipSync(ARCHIVE)],
  ['half an archive', ARCHIVE.slice(0, -1)],
  ['more than an archive', `${ARCHIVE}{}`],
  ['nothing', ''],
]

test.each(FOREIGN)('`sim export` ends with 7 and leaves no file if the answer is %s', async (_, bytes) => {
  const { code, stderr } = await exporting(bytes, '-f', 'shop.json')
  expect(stderr).toMatch(/^paysim: GET .*\/export was not answered with an archive: .*\n$/)
  expect(code).toBe(7)
  expect((await readdir(place().path('.'))).filter(name => name.includes('shop'))).toEqual([])
})

test.each(FOREIGN)('`sim export` to stdout ends with 7 if the answer is %s', async (_, bytes) => {
  const { code, stdout } = await exporting(bytes)
  expect(code).toBe(7)
  expect(stdout).not.toContain('hello')
})

test('an archive is written as it came', async () => {
  expect(await exporting(ARCHIVE)).toMatchObject({ code: 0, stdout: `${ARCHIVE}\n` })
})
