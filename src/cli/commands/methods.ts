import type { Command } from 'commander'
import type { PaymentMethodOptions } from '../../client/resources.ts'
import { memberAt } from '../../contract/json.ts'
import { differences, refuseOtherAnswer } from '../call/other-answer.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../call/session.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { textAt } from '../fields/body.ts'
import { listed, termsOf } from '../fields/build-request.ts'
import { type TermFlags, termFlags } from '../fields/request-fields.ts'
import { memberColumn } from '../output/columns.ts'
import { listAt, plain } from '../output/members.ts'
import { drawRest, sections } from '../output/record.ts'
import type { Screen } from '../output/screen.ts'
import { drawTable, GAP, type Table } from '../output/table.ts'
import { cutTo, visible } from '../output/text.ts'
import { drawAny, type View } from '../output/view.ts'

interface ListFlags extends MerchantFlags, TermFlags {
  readonly provider?: string
}

export const command = (): Command =>
  merchantCommand(
    'methods list',
    declare =>
      termFlags(
        declare.description(
          'List the payment methods for an amount, with their banks and the details that the payer must give.',
        ),
      )
        .option('--provider <id>', 'only methods of this provider')
        .addHelpText(
          'after',
          `
An amount of digits only is in minor units. An amount with a currency is converted, and the result is printed to stderr.

Examples:
  paysim methods list --amount 123450 --currency THB --country TH
  paysim methods list --amount '1,234.50 THB' --country TH --checkout-mode merchant
  paysim methods list --amount 10000 --currency THB --country TH --query 'methods[].code'
  paysim methods list --amount 50000 --currency VND --country VN -o csv`,
        )
        .action((flags: ListFlags) => withSession(flags, session => list(session, flags))),
    { list: true },
  )

async function list({ client, signal, show }: Session, flags: ListFlags): Promise<void> {
  const { body, notes } = termsOf(flags)
  const amount = textAt(body, 'amount')
  const currency = textAt(body, 'currency')
  const country = textAt(body, 'country')
  if (amount === undefined || currency === undefined || country === undefined)
    throw new UsageError(`${missing(flags, currency)} missing: methods depend on the amount and the country`)
  for (const note of notes) process.stderr.write(`${note}\n`)
  const query = { amount, currency, country, checkout_mode: flags.checkoutMode, provider: flags.provider }
  const answer = await client.methods.list(query, { signal }).answer()
  refuseOtherAnswer(differences(query, answer.body, flags), answer, 'GET /payment_methods/options')
  await show(answer, paymentMethodsView)
}

function missing(flags: ListFlags, currency: string | undefined): string {
  const flagsMissing = [
    ...(flags.amount === undefined ? ['--amount'] : []),
    ...(currency === undefined ? ['--currency'] : []),
    ...(flags.country === undefined ? ['--country'] : []),
  ]
  return `${listed(flagsMissing)} ${flagsMissing.length === 1 ? 'is' : 'are'}`
}

const PAYER_FIELDS = ['account_name', 'account_number', 'bank', 'customer_name', 'customer_phone', 'name_th']

const TABLE: Table = {
  empty: 'No method is eligible for this amount, country, currency and checkout mode.',
  columns: [
    memberColumn('code', 'code'),
    memberColumn('label', 'label', { give: 2, least: 24 }),
    { header: 'requires', value: method => requiredOf(method).join(', '), give: 1, least: 16 },
    { header: 'action', value: actionsOf, give: 3, least: 13 },
    memberColumn('category', 'category', { give: 4, least: 13 }),
    memberColumn('banks', 'options.banks', {
      value: method => String(banksOf(method).length || ''),
      align: 'right',
      give: 5,
      least: 5,
    }),
  ],
}

export const paymentMethodsView: View<PaymentMethodOptions> = {
  human: drawMethods,
  rows: methodsOf,
  csv: [
    ...['code', 'label', 'category', 'next_action_types', 'options.banks'],
    ...PAYER_FIELDS.map(field => `options.payer.${field}.required`),
  ],
  table: TABLE,
  csvLeavesOut: [],
  mayLack: ['banks', ...PAYER_FIELDS],
}

function drawMethods(body: unknown, screen: Screen): string {
  if (listAt(body, 'methods') === undefined) return drawAny(body, screen)
  const methods = methodsOf(body)
  return sections(
    drawTable(methods, TABLE, screen),
    ...methods.filter(method => banksOf(method).length > 0).map(method => drawBanks(method, screen)),
    drawRest(body, ['country', 'currency', 'environment', 'methods'], screen),
  )
}

function drawBanks(method: unknown, screen: Screen): string {
  const banks = banksOf(method).map(bank => ({
    name: plain(memberAt(bank, 'code') ?? bank),
    text: plain(memberAt(bank, 'label')),
  }))
  const title = `banks of ${visible(plain(memberAt(method, 'code')))}`
  return `${screen.paint.bold(title)}\n${drawGrid(banks, screen)}`
}

function methodsOf(body: unknown): readonly unknown[] {
  return listAt(body, 'methods') ?? []
}

const banksOf = (method: unknown) => listAt(method, 'options', 'banks') ?? []

/** The payer details that a method requires. */
function requiredOf(method: unknown): string[] {
  const payer = memberAt(method, 'options', 'payer')
  if (typeof payer !== 'object' || payer === null) return []
  return Object.keys(payer).filter(field => memberAt(payer, field, 'required') === true)
}

/** The types of its next actions, without the words that they all share. */
function actionsOf(method: unknown): string {
  const types = listAt(method, 'next_action_types') ?? []
  return types.map(type => plain(type).replace(/^display_|_to_url$|_instructions$/g, '')).join(', ')
}

interface GridEntry {
  readonly name: string
  readonly text: string
}

/** Names and labels in as many columns as fit on the screen, sorted downwards. */
function drawGrid(entries: readonly GridEntry[], screen: Screen, indent = 2): string {
  const { widthOf, paint } = screen
  const shown = entries.map(({ name, text }) => ({ name: visible(name), text: visible(text) }))
  const nameWidth = widest(
    shown.map(({ name }) => name),
    widthOf,
  )
  const room = screen.width - indent
  const entryWidth = Math.min(
    room,
    nameWidth +
      GAP +
      widest(
        shown.map(({ text }) => text),
        widthOf,
      ),
  )
  const columns = Math.max(1, Math.floor((room + GAP) / (entryWidth + GAP)))
  const height = Math.ceil(shown.length / columns)
  const cell = ({ name, text }: GridEntry) => {
    const blanks = ' '.repeat(nameWidth + GAP - widthOf(name))
    const whole = cutTo(`${name}${blanks}${text}`, entryWidth, widthOf)
    const padding = ' '.repeat(entryWidth - widthOf(whole))
    return whole.startsWith(name) ? paint.bold(name) + whole.slice(name.length) + padding : whole + padding
  }
  return Array.from({ length: height }, (_, line) =>
    shown
      .filter((_, index) => index % height === line)
      .map(cell)
      .join(' '.repeat(GAP)),
  )
    .map(line => `${' '.repeat(indent)}${line}`.trimEnd())
    .join('\n')
}

const widest = (texts: readonly string[], widthOf: Screen['widthOf']) =>
  texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)
