import type { Command } from 'commander'
import { openStore, type StoreSettings } from '../../engine/store/open-store.ts'
import { LIST } from '../../engine/store/seal.ts'
import type { Store } from '../../engine/store/store.ts'
import { StartError } from '../../engine/store/store-errors.ts'
import {
  acceptLossIn,
  checkStore,
  copyStore,
  type LossReport,
  type StoreProblem,
  type StoreTotals,
} from '../../engine/store/whole-store.ts'
import { RealTime, SYSTEM_CLOCKS } from '../../engine/time/real-time.ts'
import { newCommand } from '../command-table.ts'
import { EXIT } from '../errors/exit-code.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import type { View } from '../output/view.ts'
import { placeOf } from '../store-address.ts'

const PLACE = 'file:DIR or postgres://…'

export const check = (): Command =>
  outputFlags(
    newCommand('store check')
      .description(
        'Read everything in a store, and say whether it is consistent. No server may use it meanwhile.',
      )
      .argument('<store>', `the store: ${PLACE}`),
  )
    .addHelpText(
      'after',
      `
Every file must be as the last clean stop left it. Each entry must be there and have its checksum, each image must have its digest, and each checkpoint
must match the state that the journal's entries give. The exit code is 10 if something is not consistent.

Examples:
  paysim store check file:.paysim
  paysim store check postgres://paysim@127.0.0.1/paysim -o json`,
    )
    .action(async (address: string, flags: OutputFlags) => {
      const printer = openPrinter(flags)
      const said: string[] = []
      const how = { mustExist: true, readOnly: true, warn: (message: string) => void said.push(message) }
      const found = await using(address, how, async store => ({
        store: store.url,
        ...(await checkStore(store, new RealTime(SYSTEM_CLOCKS), () => said.splice(0))),
      }))
      if (found.problems.length > 0) process.exitCode = EXIT.expectationFailed
      await printer.show({ body: found }, checkView)
    })

export const copy = (): Command =>
  outputFlags(
    newCommand('store copy')
      .description(
        'Copy everything from one store to another, empty one. No server may use either meanwhile.',
      )
      .argument('<from>', `the store to read: ${PLACE}`)
      .argument('<to>', `the store to fill: ${PLACE}`),
  )
    .addHelpText(
      'after',
      `
Merchants, keys, records with their histories, images and pending timers are copied. An interrupted copy has
no merchants, so you can simply start it again.

Examples:
  paysim store copy file:.paysim postgres://paysim@127.0.0.1/paysim
  paysim store copy postgres://paysim@127.0.0.1/paysim file:./from-database`,
    )
    .action(async (from: string, to: string, flags: OutputFlags) => {
      const printer = openPrinter(flags)
      const copied = await using(from, { mustExist: true, readOnly: true }, source =>
        using(to, {}, async target => ({
          from: source.url,
          to: target.url,
          totals: await copyStore(source, target, new RealTime(SYSTEM_CLOCKS)),
        })),
      )
      await printer.show({ body: copied }, copyView)
    })

export const acceptLoss = (): Command =>
  outputFlags(
    newCommand('store accept-loss')
      .description(
        'Let an account that is stopped over a loss go on with what is whole. No server may use the store.',
      )
      .argument('<store>', 'the store: file:DIR')
      .argument(
        '<account>',
        'the account, such as default.test; or merchants.jsonl, for the list of merchants',
      ),
  )
    .addHelpText(
      'after',
      `
If you have a backup, restore the file that the message names instead. Otherwise the account continues with the
entries before the first one that is missing or damaged, or with its checkpoint. Nothing is deleted: what is given
up stays in the account's folder, under the names that are printed. Its new records get ids that it never gave.

Examples:
  paysim store accept-loss file:.paysim default.test
  paysim store accept-loss file:.paysim merchants.jsonl`,
    )
    .action(async (address: string, account: string, flags: OutputFlags) => {
      const printer = openPrinter(flags)
      const accepted = await using(address, { mustExist: true }, async store => ({
        store: store.url,
        account,
        ...(await acceptLossIn(store, account, new RealTime(SYSTEM_CLOCKS))),
      }))
      await printer.show({ body: accepted }, acceptView)
    })

/** Says it at once. */
const toStderr = (message: string) => void process.stderr.write(`paysim: ${message}\n`)

/** Opens a store, and gives it up afterwards. */
async function using<T>(
  address: string,
  { warn = toStderr, ...how }: Partial<Pick<StoreSettings, 'mustExist' | 'readOnly' | 'warn'>>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const place = placeOf(address, 'the argument')
  if (place.dataDir === null && place.database === undefined)
    throw new StartError(
      'a store in memory ends with its process, so nothing can be read from it or kept in it',
      2,
    )
  const store = await openStore(place, { sync: true, ...how, exclusive: true, time: SYSTEM_CLOCKS, warn })
  try {
    return await work(store)
  } finally {
    await store.release()
  }
}

const count = (number: number, what: string) =>
  `${number} ${number === 1 ? what : `${what.replace(/y$/, 'ie')}s`}`

const inWords = ({ merchants, payments, payouts, entries, images }: StoreTotals) =>
  [
    count(merchants, 'merchant'),
    count(payments, 'payment'),
    count(payouts, 'payout'),
    count(images, 'image'),
    `${count(entries, 'entry')} of history`,
  ].join(', ')

interface Checked {
  readonly store: string
  readonly totals: StoreTotals
  readonly problems: readonly StoreProblem[]
  readonly unread: readonly string[]
}

const checkView: View<Checked> = {
  human: ({ store, totals, problems, unread }, { paint }) =>
    [
      `${store}: ${inWords(totals)}`,
      ...problems.map(({ account, message }) => `${paint.red('✗')} ${account}: ${message}`),
      ...unread.map(what => `not read: ${what}`),
      problems.length === 0
        ? paint.green('It is consistent.')
        : paint.red(`${count(problems.length, 'problem')}.`),
    ].join('\n'),
  rows: ({ problems }) => problems,
  csv: ['account', 'message'],
}

const acceptView: View<LossReport & { readonly store: string; readonly account: string }> = {
  human: ({ store, account, last, aside, totals }) =>
    [
      account === LIST
        ? `${store}: the list of merchants goes on as it is, with ${count(totals.merchants, 'merchant')}`
        : `${account} goes on after entry ${last}, with ${count(totals.payments, 'payment')} and ${count(totals.payouts, 'payout')}`,
      ...(aside.length > 0 ? [`What was given up is kept in ${aside.join(', ')}`] : []),
    ].join('\n'),
  rows: ({ totals }) => [totals],
  csv: ['merchants', 'accounts', 'payments', 'payouts', 'entries', 'images'],
}

const copyView: View<{ from: string; to: string; totals: StoreTotals }> = {
  human: ({ from, to, totals }) => `copied from ${from} to ${to}: ${inWords(totals)}`,
  rows: ({ totals }) => [totals],
  csv: ['merchants', 'accounts', 'payments', 'payouts', 'entries', 'images'],
}
