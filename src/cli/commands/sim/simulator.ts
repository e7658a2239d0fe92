import {
  type ControlClient,
  ControlError,
  type DecisionsInForce,
  type Nodes,
} from '../../../client/control-client.ts'
import { commandOf, ownCommand } from '../../control/row.ts'
import type { ControlSession } from '../../control/session.ts'
import { openPageOf } from '../../open-in-browser.ts'
import { idColumn, memberColumn, timeColumn } from '../../output/columns.ts'
import { drawRecord, sections } from '../../output/record.ts'
import { type Column, drawTable } from '../../output/table.ts'
import { relativeTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'

/** What a simulator says about itself as a whole. */

interface SimStatus {
  readonly control_url: string
  /** The merchant API; null if only the control surface is known. */
  readonly url: string | null
  readonly found: string
  readonly health: string
  readonly ready: boolean
  readonly accounts: readonly AccountStatus[]
}

interface AccountStatus {
  readonly id: string
  readonly environment: string
  readonly public_key: string | null
  readonly clock: {
    readonly mode: string
    readonly now: string
    readonly next_due: string | null
    readonly pending_timers: number
  }
}

async function statusOf({ control, target }: ControlSession): Promise<SimStatus> {
  const { status: health } = await control.health()
  return {
    control_url: target.controlUrl,
    url: target.url ?? null,
    found: target.from.controlUrl,
    health,
    ready: await isReady(control),
    accounts: await accountsOf(control),
  }
}

async function isReady(control: ControlClient): Promise<boolean> {
  try {
    await control.ready()
    return true
  } catch (error) {
    if (error instanceof ControlError && error.status === 503) return false
    throw error
  }
}

async function accountsOf(control: ControlClient): Promise<AccountStatus[]> {
  const all: AccountStatus[] = []
  for (const { accounts } of await control.merchants.list()) {
    const clocks = await Promise.all(accounts.map(({ id }) => control.account(id).clock.get()))
    accounts.forEach(({ id, environment, public_key }, at) => {
      const clock = clocks[at]
      if (clock) all.push({ id, environment, public_key, clock })
    })
  }
  return all
}

const statusView: View<SimStatus> = {
  human: ({ control_url, url, found, ready, accounts }, screen) =>
    sections(
      drawRecord(
        [
          {
            label: 'simulator',
            value: ready ? 'ready' : 'loading its accounts',
            paint: ready ? screen.paint.green : screen.paint.yellow,
          },
          { label: 'merchant API', value: url, whole: true },
          { label: 'control', value: control_url, whole: true },
          { label: 'found by', value: found },
        ],
        screen,
      ),
      drawTable(accounts, { columns: ACCOUNT_COLUMNS, empty: 'No accounts.' }, screen),
    ),
  rows: ({ accounts }) => accounts,
}

const ACCOUNT_COLUMNS: readonly Column[] = [
  idColumn('account'),
  memberColumn('clock', 'clock.mode', {
    paint: (shown, _, { paint }) => (shown === 'virtual' ? paint.magenta(shown) : shown),
  }),
  timeColumn('now', 'clock.now'),
  { header: 'next timer', value: row => nextTimer(row as AccountStatus), give: 1 },
  memberColumn('timers', 'clock.pending_timers', { align: 'right', give: 2 }),
  memberColumn('public key', 'public_key', { give: 3, least: 16 }),
]

/** Relative to the time of the account. */
function nextTimer({ clock }: AccountStatus): string {
  if (clock.next_due === null) return 'none'
  return relativeTime(Date.parse(clock.next_due), Date.parse(clock.now))
}

const linkView: View<{ readonly url: string }> = { human: ({ url }) => url }

const warn = (message: string) => process.stderr.write(`paysim: ${message}\n`)

const NODE_COLUMNS = [
  memberColumn('node', 'node', { paint: (shown, _, { paint }) => paint.bold(shown) }),
  memberColumn('address', 'address', { give: 1, least: 20 }),
  memberColumn('serving', 'serving'),
  memberColumn('merchants', 'merchants', { align: 'right' }),
  memberColumn('taken over', 'takeovers', { align: 'right', give: 2 }),
  memberColumn('released', 'moves', { align: 'right', give: 2 }),
  memberColumn('forwarded', 'forwarded', { align: 'right', give: 2 }),
  memberColumn('lag ms', 'lag_ms', { align: 'right', give: 3 }),
]

const nodesView: View<Nodes> = {
  human: ({ clustered, node, nodes }, screen) =>
    clustered
      ? drawTable(nodes, { columns: NODE_COLUMNS, empty: 'None.' }, screen)
      : `One process serves this store: ${node}.`,
  rows: ({ nodes }) => nodes,
}

const rows = (decisions: DecisionsInForce) =>
  Object.entries(decisions).map(([key, decision]) => ({ key, ...decision }))

const decisionsView: View<DecisionsInForce> = {
  human: (decisions, screen) =>
    drawTable(
      rows(decisions),
      {
        columns: [
          memberColumn('decision', 'key', { paint: (shown, _, { paint }) => paint.bold(shown) }),
          memberColumn('kind', 'kind', { give: 2 }),
          memberColumn('in force', 'value', { give: 1, least: 20 }),
        ],
        empty: 'None.',
      },
      screen,
    ),
  rows,
}

export const contract = commandOf('sim contract', 'GET /contract', {
  description: 'Print the contract decisions in force at a running simulator.',
  examples: ['paysim sim contract', `paysim sim contract --query '["errors.body"].value'`],
  show: { view: decisionsView },
})

export const openapi = commandOf('sim openapi', 'GET /openapi.json', {
  description:
    'Print the merchant API as an OpenAPI 3.1 document, with the decisions in force at a running simulator.',
  examples: ['paysim sim openapi > merchant-api.json'],
  show: { view: { human: document => JSON.stringify(document, null, 2) } },
})

export const status = ownCommand('sim status', {
  description: 'Show the addresses of a simulator, whether it is ready, and the clocks of its accounts.',
  examples: ['paysim sim status', 'PAYSIM_DATA=/tmp/shop paysim sim status -o json'],
  account: false,
  // The status is collected with several calls, so there are no headers of one answer.
  headers: false,
  run: async session => session.printer.show({ body: await statusOf(session) }, statusView),
})

export const dashboard = ownCommand('sim dashboard', {
  description: 'Print a link that signs a browser in to the dashboard. It works once.',
  flags: { '--open': 'open it in the browser too' },
  examples: ['paysim sim dashboard', 'paysim sim dashboard --open'],
  account: false,
  async run({ control, show, target }, { open }: { readonly open?: true }) {
    const call = control.dashboardLink()
    await show(call, linkView)
    if (open) await openPageOf(target.controlUrl, (await call).url, warn)
  },
})

export const nodes = ownCommand('sim nodes', {
  description: 'Show the processes that serve one database, and how many merchants each of them holds.',
  examples: ['paysim sim nodes', 'paysim sim nodes --query holdings.data'],
  account: false,
  run: ({ control, show }) => show(control.nodes(), nodesView),
})

export const metrics = ownCommand('sim metrics', {
  description: 'Print the metrics of a simulator in the text format of Prometheus.',
  examples: ['paysim sim metrics', 'paysim sim metrics | grep paysim_requests_total'],
  account: false,
  records: false,
  run: async ({ control }) => void process.stdout.write(await control.metrics()),
})
