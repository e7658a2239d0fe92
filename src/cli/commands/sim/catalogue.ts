import type {
  Catalogue,
  CatalogueMethod,
  CatalogueProvider,
  CatalogueRoute,
} from '../../../client/control-client.ts'
import { nounOf, row } from '../../control/row.ts'
import { readDocument } from '../../named-file.ts'
import { idColumn, memberColumn, rowView } from '../../output/columns.ts'
import { formatMoney } from '../../output/members.ts'
import type { Screen } from '../../output/screen.ts'
import { type Column, drawTable } from '../../output/table.ts'
import type { View } from '../../output/view.ts'
import { modesText } from './tables.ts'

const catalogueView: View<Catalogue> = {
  human: ({ providers, methods, routes }, screen) =>
    [
      titledTable('Providers', providers, PROVIDERS, screen),
      titledTable('Methods', methods, METHODS, screen),
      titledTable('Routes, tried in this order', routes, ROUTES, screen),
    ].join('\n\n'),
}

export const catalogue = nounOf('sim catalogue', {
  show: row('GET /accounts/:account/catalogue', {
    summary: 'show providers, methods and routes',
    description: 'Show the providers and their health, the methods, and the routes between them.',
    examples: ['paysim sim catalogue', 'paysim sim catalogue show -o json > catalogue.json'],
    show: { view: catalogueView },
  }),
  set: row('PUT /accounts/:account/catalogue', {
    summary: 'replace providers, methods and routes',
    description: "Replace an account's providers, methods and routes. An invalid catalogue changes nothing.",
    arguments: {
      // The server checks it, and names each problem.
      '<file>': {
        about: 'YAML or JSON: {providers, methods, routes}; - means stdin',
        to: 'body',
        value: readDocument,
      },
    },
    examples: [
      'paysim sim catalogue show -o yaml > catalogue.yaml',
      'paysim sim catalogue set catalogue.yaml --account shop',
    ],
    show: { view: catalogueView },
  }),
  health: row('PATCH /accounts/:account/catalogue/providers/:provider', {
    summary: 'take a provider down, or bring it up',
    description: 'Take a provider down, or bring it up. New payments use the next healthy route.',
    arguments: {
      '<provider>': {
        about: 'id of the provider, as `paysim sim catalogue` lists it',
        to: 'params.provider',
      },
      '<health>': {
        about: 'new health of the provider',
        to: 'body.healthy',
        choices: ['up', 'down'],
        value: (health: string) => health === 'up',
      },
    },
    examples: ['paysim sim catalogue health siam down', 'paysim sim catalogue health siam up'],
    show: { view: () => rowView(PROVIDERS) },
  }),
})

function titledTable(
  title: string,
  rows: readonly unknown[],
  columns: readonly Column[],
  screen: Screen,
): string {
  return `${screen.paint.bold(title)}\n${drawTable(rows, { columns, empty: 'None.' }, screen)}`
}

const isUp = (row: unknown) => (row as CatalogueProvider).healthy !== false

const PROVIDERS: readonly Column[] = [
  idColumn('provider'),
  {
    header: 'health',
    value: row => (isUp(row) ? 'up' : 'down'),
    paint: (shown, row, { paint }) => (isUp(row) ? paint.green(shown) : paint.red(shown)),
  },
]

const METHODS: readonly Column[] = [
  idColumn('method', 'code'),
  memberColumn('label', 'label', { give: 1 }),
  memberColumn('category', 'category', { give: 2 }),
  { header: 'banks', value: row => banksOf(row as CatalogueMethod), give: 3, least: 12 },
]

const banksOf = ({ banks = [] }: CatalogueMethod) => banks.map(({ code }) => code).join(', ')

const ROUTES: readonly Column[] = [
  idColumn('route'),
  memberColumn('provider', 'provider', { give: 6, least: 10 }),
  memberColumn('method', 'method', { give: 1, least: 12 }),
  { header: 'where', value: row => whereOf(row as CatalogueRoute), give: 2 },
  { header: 'amounts', value: row => amountsOf(row as CatalogueRoute), align: 'right', give: 2, least: 20 },
  { header: 'modes', value: row => modesText((row as CatalogueRoute).checkout_modes), give: 6 },
  { header: 'action', value: row => actionOf(row as CatalogueRoute), give: 4, least: 12 },
  memberColumn('receipt', 'receipt', { give: 7 }),
]

const whereOf = ({ country, currency }: CatalogueRoute) => `${country} ${currency}`

function amountsOf({ min_amount: least, max_amount: most, currency }: CatalogueRoute): string {
  const bare = (amount: string) => formatMoney(amount, currency).replace(` ${currency}`, '')
  if (least === undefined && most === undefined) return 'any'
  return `${least === undefined ? '' : bare(least)} … ${most === undefined ? '' : bare(most)}`.trim()
}

function actionOf({ action, action_after: after }: CatalogueRoute): string {
  const short = action.replace(/^(?:display|redirect_to)_/, '').replaceAll('_', ' ')
  return after === undefined ? short : `${short}, after ${after}`
}
