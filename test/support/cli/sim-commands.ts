import { writeFile } from 'node:fs/promises'
import { type CommandTable, commandsOf } from '../../../src/cli/command-table.ts'
import { SIM } from '../../../src/cli/commands.ts'

/** Each command of `paysim sim`, with what it needs besides its name. */

const FILES = {
  'rules.json': '[]',
  'faults.json': '[]',
  'catalogue.json': '{"providers":[],"methods":[],"routes":[]}',
  'archive.json': '{"paysim":1}',
  'receipt.png': Buffer.from('89504e470d0a1a0a', 'hex'),
}
export async function writeSimFiles(path: (name: string) => string): Promise<void> {
  for (const [name, text] of Object.entries(FILES)) await writeFile(path(name), text)
}

type PathOf = (name: keyof typeof FILES) => string

const PAYOUT = [
  ...['--amount', '100', '--currency', 'THB', '--country', 'TH', '--merchant-reference', 'salary-1'],
  ...['--bank', 'bbl', '--holder', 'Somchai', '--account-number', '1234567890'],
]

/** What a command needs besides its name, in the order of `paysim sim --help`. */
const WORDS: Readonly<Record<string, (file: PathOf) => readonly string[]>> = {
  'merchants show': () => ['shop'],
  'merchants change': () => ['shop', '--name', 'Shop'],
  'merchants remove': () => ['shop', '--yes'],
  'keys revoke': () => ['pk_test_1'],
  'clock advance': () => ['5s'],
  'clock set': () => ['virtual'],
  'rules set': file => [file('rules.json')],
  'rules add': file => [file('rules.json')],
  'faults set': file => [file('faults.json')],
  'holds release': () => ['hold_1'],
  'events send': () => ['payment.succeeded'],
  'catalogue set': file => [file('catalogue.json')],
  'catalogue health': () => ['siam', 'up'],
  'payments show': () => ['pi_1'],
  'payments choose': () => ['pi_1', 'th_promptpay'],
  'payments send-receipt': file => ['pi_1', file('receipt.png')],
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
  'assets upload': file => [file('receipt.png')],
  'endpoints add': () => ['http://127.0.0.1:9/hook'],
  'endpoints rotate': () => ['we_1'],
  'endpoints remove': () => ['we_1'],
  'deliveries show': () => ['dlv_1'],
  'deliveries redeliver': () => ['dlv_1'],
  history: () => ['pi_1'],
  why: () => ['pi_1'],
  'requests show': () => ['req_1'],
  import: file => [file('archive.json')],
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

export const simCommands = (await namesIn(SIM)).map(name => ({
  name: `sim ${name}`,
  more: WORDS[name] ?? (() => []),
}))
