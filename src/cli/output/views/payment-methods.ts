import type { PaymentMethodOptions } from '../../../client/resources.ts'
import { memberAt } from '../../../contract/json.ts'
import { memberColumn } from '../columns.ts'
import { listAt, plain } from '../members.ts'
import { drawRest, sections } from '../record.ts'
import type { Screen } from '../screen.ts'
import { drawTable, GAP, type Table } from '../table.ts'
import { cutTo, visible } from '../text.ts'
import { drawAny, type View } from '../view.ts'

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
