import type { Command } from 'commander'
import { openStore } from '../../engine/open-store.ts'
import { RealTime, SYSTEM_CLOCKS } from '../../engine/real-time.ts'
import { StartError } from '../../engine/start-error.ts'
import type { Store } from '../../engine/store.ts'
import { checkStore, copyStore, type StoreProblem, type StoreTotals } from '../../engine/whole-store.ts'
import { EXIT } from '../errors/exit-code.ts'
import { newCommand } from '../new-command.ts'
import { type OutputFlags, outputFlags } from '../output/flags.ts'
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
Each entry must be there and have its checksum, each image must have its digest, and each checkpoint
must match the state that the journal's entries give. The exit code is 10 if something is not consistent.

Examples:
  paysim store check file:.paysim
  paysim store check postgres://paysim@127.0.0.1/paysim -o json`,
    )
    .action(async (address: string, flags: OutputFlags) => {
      const printer = openPrinter(flags)
      const found = await using(address, true, async store => ({
        store: store.url,
        ...(await checkStore(store, new RealTime(SYSTEM_CLOCKS))),
      }))
      await printer.show({ body: found }, checkView)
      if (found.problems.length > 0) process.exitCode = EXIT.expectationFailed
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
      const copied = await using(from, true, source =>
        using(to, false, async target => ({
          from: source.url,
          to: target.url,
          totals: await copyStore(source, target, new RealTime(SYSTEM_CLOCKS)),
        })),
      )
      await printer.show({ body: copied }, copyView)
    })

/** Opens a store, and gives it up afterwards. */
async function using<T>(address: string, mustExist: boolean, work: (store: Store) => Promise<T>): Promise<T> {
  const place = placeOf(address, 'the argument')
  if (place.dataDir === null && place.database === undefined)
    throw new StartError(
      'a store in memory ends with its process, so nothing can be read from it or kept in it',
      2,
    )
  const warn = (message: string) => void process.stderr.write(`paysim: ${message}\n`)
  const store = await openStore(place, { sync: true, mustExist, alone: true, time: SYSTEM_CLOCKS, warn })
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

const checkView: View<{ store: string; totals: StoreTotals; problems: readonly StoreProblem[] }> = {
  human: ({ store, totals, problems }, { paint }) =>
    [
      `${store}: ${inWords(totals)}`,
      ...problems.map(({ account, message }) => `${paint.red('✗')} ${account}: ${message}`),
      problems.length === 0
        ? paint.green('It is consistent.')
        : paint.red(`${count(problems.length, 'problem')}.`),
    ].join('\n'),
  rows: ({ problems }) => problems,
  csv: ['account', 'message'],
}

const copyView: View<{ from: string; to: string; totals: StoreTotals }> = {
  human: ({ from, to, totals }) => `copied from ${from} to ${to}: ${inWords(totals)}`,
  rows: ({ totals }) => [totals],
  csv: ['merchants', 'accounts', 'payments', 'payouts', 'entries', 'images'],
}
