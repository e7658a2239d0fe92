import { writeFile } from 'node:fs/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type CommandTable, commandsOf } from '../../../src/cli/command-table.ts'
import { SIM } from '../../../src/cli/commands.ts'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { runHere } from '../../support/cli/run-here.ts'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

/** What answers 2xx and is no control surface must not be taken for one: by no command, and in no format. */

const place = useWorkplace()

const ANSWERS: readonly (readonly [string, string])[] = [
  ['application/json', '{"id":1}'],
  ['application/json', '[]'],
  ['application/json', 'null'],
  ['application/json', '"x"'],
  ['application/json', '{"data":[{"id":1}]}'],
  ['text/html', '<!doctype html><title>Hello</title>'],
]

const FILES = {
  'rules.json': '[]',
  'faults.json': '[]',
  'catalogue.json': '{"providers":[],"methods":[],"routes":[]}',
  'archive.json': '{"paysim":1}',
  'receipt.png': Buffer.from('89504e470d0a1a0a', 'hex'),
}
beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) await writeFile(place().path(name), text)
})
const file = (name: keyof typeof FILES) => place().path(name)

const PAYOUT = [
  ...['--amount', '100', '--currency', 'THB', '--country', 'TH', '--merchant-reference', 'salary-1'],
  ...['--bank', 'bbl', '--holder', 'Somchai', '--account-number', '1234567890'],
]

/** What a command needs besides its name, in the order of `paysim sim --help`. */
const WORDS: Readonly<Record<string, () => readonly string[]>> = {
  'merchants show': () => ['shop'],
  'merchants change': () => ['shop', '--name', 'Shop'],
  'merchants remove': () => ['shop', '--yes'],
  'keys revoke': () => ['pk_test_1'],
  'clock advance': () => ['5s'],
  'clock set': () => ['virtual'],
  'rules set': () => [file('rules.json')],
  'rules add': () => [file('rules.json')],
  'faults set': () => [file('faults.json')],
  'holds release': () => ['hold_1'],
  'events send': () => ['payment.succeeded'],
  'catalogue set': () => [file('catalogue.json')],
  'catalogue health': () => ['siam', 'up'],
  'payments show': () => ['pi_1'],
  'payments choose': () => ['pi_1', 'th_promptpay'],
  'payments send-receipt': () => ['pi_1', file('receipt.png')],
  'payments return': () => ['pi_1'],
  'payments succeed': () => ['pi_1'],
  'payments fail': () => ['pi_1'],
  'payments expire': () => ['pi_1'],
  'payments present-action': () => ['pi_1'],
  'payments withdraw-action': () => ['pi_1'],
  'payments accept-receipt': () => ['pi_1'],
  'payments reject-receipt': () => ['pi_1'],
  'payments confirm-cancel': () => ['pi_1'],
  'receipts image': () => ['pi_1'],
  'payouts show': () => ['po_1'],
  'payouts create': () => PAYOUT,
  'payouts approve': () => ['po_1'],
  'payouts succeed': () => ['po_1'],
  'payouts fail': () => ['po_1'],
  'payouts cancel': () => ['po_1'],
  'assets upload': () => [file('receipt.png')],
  'endpoints add': () => ['http://127.0.0.1:9/hook'],
  'endpoints rotate': () => ['we_1'],
  'endpoints remove': () => ['we_1'],
  'deliveries show': () => ['dlv_1'],
  'deliveries redeliver': () => ['dlv_1'],
  history: () => ['pi_1'],
  why: () => ['pi_1'],
  'requests show': () => ['req_1'],
  import: () => [file('archive.json')],
  reset: () => ['--yes'],
}

async function namesIn(table: CommandTable): Promise<string[]> {
  const names = await Promise.all(
    Object.entries(table).map(async ([name, entry]) =>
      'commands' in entry ? (await namesIn(await commandsOf(entry))).map(rest => `${name} ${rest}`) : [name],
    ),
  )
  return names.flat()
}

const COMMANDS = [
  ...(await namesIn(SIM)).map(name => ({ name: `sim ${name}`, more: WORDS[name] ?? (() => []) })),
  { name: 'sim payments list -o json', more: () => [] },
  { name: 'webhooks listen', more: () => [] },
]

test.each(COMMANDS)('$name ends with 7, and says which call was answered wrongly', async ({ name, more }) => {
  for (const [type, body] of ANSWERS) {
    const { url, close } = await openSite((request, response) => {
      request.resume().once('end', () => response.writeHead(200, { 'content-type': type }).end(body))
    })
    onTestFinished(close)
    const { code, stdout, stderr } = await runHere([...name.split(' '), ...more()], {
      ...cleanEnvironment(place().path('.')),
      PAYSIM_CONTROL_URL: url,
      PAYSIM_CONTROL_TOKEN: 'a-token-of-sixteen',
    })
    const said = `${body}: ${stderr}`
    expect(code, said).toBe(7)
    expect(stdout, said).toBe('')
    expect(stderr, said).toMatch(/^paysim: (?:GET|PUT|POST|PATCH|DELETE) \/\S+ was not answered .+$/m)
    expect(stderr, said).not.toMatch(/^ {4}at /m)
  }
})
