import { hostname } from 'node:os'
import { TokenBody, YamlText, YamlValues } from '../../contract/control/requests.ts'
import { type Contract, DECISIONS, type DecisionKey } from '../../contract/decisions.ts'
import { CONTROL_PREFIX } from '../../contract/paths.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import type { World } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { RENDERED_BYTES } from '../../engine/account/rendering.ts'
import type { ServedAccount } from '../../engine/account/served-accounts.ts'
import { READ_BYTES } from '../../engine/checkpoint/past-table.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { HeldMerchant, Holders, NodeState } from '../../engine/store/holders.ts'
import { comesFromOwnPage, type Session } from '../dashboard/session.ts'
import type { EventStreams } from '../http/event-stream.ts'
import type { Request } from '../http/request.ts'
import { one, windowIn } from '../lists.ts'
import { refuse, refuseProblems, storeRefusal } from '../refusal.ts'
import type { KeptBytes, RequestLog } from '../requests/request-log.ts'
import { bodyReader, type ControlHandlers, type ControlSettings } from './control-call.ts'

const readYamlText = bodyReader<YamlText>(YamlText)
const readYamlValues = bodyReader<YamlValues>(YamlValues)

export function serverCalls(settings: ControlSettings) {
  const { gateway, requests, streams, forwarder } = settings
  const { contract } = gateway
  return {
    'GET /health': ({ answer }) => answer(200, { status: 'ok', version }),
    'GET /ready': ({ answer }) => {
      if (!gateway.ready) return answer(503, { status: 'loading' })
      const stopped = gateway.accounts.flatMap(account => (account.stopped ? account.id : []))
      return answer(200, { status: 'ready', ...(stopped.length > 0 ? { stopped } : {}) })
    },
    'GET /contract': ({ answer }) => answer(200, decisionsInForce(contract)),
    'GET /openapi.json': async ({ request: { headers }, answer }) => {
      const { openApiDocument } = await import('../../contract/openapi/document.ts')
      return answer(200, openApiDocument(contract, urlFor(headers.host, settings)))
    },
    'GET /control.json': async ({ request: { headers }, answer }) => {
      const { controlDocument } = await import('../../contract/openapi/control-document.ts')
      return answer(200, controlDocument(contract, `http://${headers.host}${CONTROL_PREFIX}`))
    },
    'POST /yaml/read': async ({ request, answer }) => {
      const { text } = await readYamlText(request)
      const { valueOfYaml } = await import('../../files/yaml-document.ts')
      try {
        return answer(200, { value: valueOfYaml(text) })
      } catch (error) {
        throw refuseProblems([
          { field: 'text', message: error instanceof Error ? error.message : String(error) },
        ])
      }
    },
    'POST /yaml/write': async ({ request, answer }) => {
      const { values, narrow = false } = await readYamlValues(request)
      const { yamlForPeople } = await import('../../files/yaml-document.ts')
      return answer(200, { texts: values.map(value => yamlForPeople(value, { narrow })) })
    },
    'GET /metrics': ({ reply }) =>
      reply
        .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
        .send(metricsText({ gateway, requests, streams, holders: forwarder?.holders })),
  } satisfies Partial<ControlHandlers>
}

/** Unknown only where the code is not built. */
const version = typeof PAYSIM_VERSION === 'string' ? PAYSIM_VERSION : '0.0.0'

const decisionsInForce = (contract: Contract) =>
  Object.fromEntries(
    (Object.keys(DECISIONS) as DecisionKey[]).map(key => [
      key,
      {
        value: answerOf(key, contract),
        kind: DECISIONS[key].kind === 'constant' ? ('constant' as const) : ('switch' as const),
      },
    ]),
  )

/** The address of the merchant API, with the host name that the caller used. */
function urlFor(host: string | undefined, { surfaces, merchantUrl }: ControlSettings): string {
  if (!URL.canParse(`http://${host}`)) return merchantUrl()
  const asked = new URL(`http://${host}`)
  if (!surfaces.merchant) asked.port = new URL(merchantUrl()).port
  return asked.origin
}

interface Measured {
  readonly gateway: Gateway
  readonly requests: RequestLog
  readonly streams: EventStreams
  readonly holders: Holders | undefined
}

/** The Prometheus text format. What is shown of an account is known only while it is open. */
function metricsText({ gateway, requests, streams, holders }: Measured): string {
  const open = gateway.accounts.flatMap(({ runtime }) => runtime ?? [])
  for (const { account } of open) account.catchUp()
  const perAccount = (read: (runtime: AccountRuntime) => number) =>
    open.map(runtime => ({ labels: { account: runtime.account.id }, value: read(runtime) }))
  const perRecord = (read: (world: World) => number) => perAccount(({ account }) => read(account.world))
  const one = (value: number): Sample[] => [{ labels: {}, value }]
  const kept: readonly KeptBytes[] = [
    ...requests.sizes,
    { what: 'rendered records', bytes: RENDERED_BYTES.bytes, most: RENDERED_BYTES.most },
    { what: 'records read from disk', bytes: READ_BYTES.bytes, most: READ_BYTES.most },
  ]
  const perKind = (read: (each: KeptBytes) => number) =>
    kept.map(each => ({ labels: { what: each.what }, value: read(each) }))
  const metrics: Metric[] = [
    ['requests_total', 'counter', 'Answered requests', requests.totals()],
    ['accounts', 'gauge', 'Accounts, by whether they are open here', statesOf(gateway.accounts)],
    ['payments', 'gauge', 'Payment intents', perRecord(world => world.payments.size)],
    ['payouts', 'gauge', 'Payout intents', perRecord(world => world.payouts.size)],
    ['webhook_deliveries', 'gauge', 'Webhook deliveries', perRecord(world => world.deliveries.size)],
    ['pending_timers', 'gauge', 'Timers that have not fired', perRecord(world => world.timers.size)],
    ['journal_entries', 'counter', 'Entries in the journal', perRecord(world => world.seq)],
    [
      'changes_in_memory_bytes',
      'gauge',
      'Bytes of the journal since the last checkpoint was begun',
      perAccount(({ checkpoints }) => checkpoints?.tail.bytes ?? 0),
    ],
    ['streams', 'gauge', 'Event streams that are open', one(streams.counts.open)],
    [
      'stream_waiting_bytes',
      'gauge',
      'Bytes of all event streams that wait for their readers',
      one(streams.counts.bytesWaiting),
    ],
    [
      'streams_cut_total',
      'counter',
      'Event streams that ended because their readers fell behind',
      one(streams.counts.cut),
    ],
    ['kept_bytes', 'gauge', 'Estimate of what is kept in memory', perKind(({ bytes }) => bytes)],
    ['kept_bytes_limit', 'gauge', 'How much of it may be kept', perKind(({ most }) => most)],
  ]
  const ofProcess = metricText([
    'process_resident_memory_bytes',
    'gauge',
    'Memory of the process',
    one(process.memoryUsage.rss()),
  ])
  return [
    ...metrics.map(metric => metricText(metric, 'paysim_')),
    ofProcess,
    ...(holders ? nodeMetrics(holders).map(metric => metricText(metric, 'paysim_')) : []),
  ].join('')
}

function statesOf(accounts: readonly ServedAccount[]): Sample[] {
  const count = { open: 0, unopened: 0, stopped: 0 }
  for (const { runtime, stopped } of accounts) count[runtime ? 'open' : stopped ? 'stopped' : 'unopened']++
  return Object.entries(count).map(([state, value]) => ({ labels: { state }, value }))
}

/** The metrics of this process alone, because Prometheus asks each process. */
function nodeMetrics({ node, held, counts }: Holders): Metric[] {
  const here = (value: number): Sample[] => [{ labels: { node }, value }]
  const lagSeconds = Math.round(counts.lagMs) / 1000
  return [
    ['held_merchants', 'gauge', 'Merchants that this process holds', here(held)],
    ['takeovers_total', 'counter', 'Merchants taken over from other processes', here(counts.takeovers)],
    [
      'moves_total',
      'counter',
      'Merchants released, because they belong to another process',
      here(counts.moves),
    ],
    ['forwarded_total', 'counter', 'Calls that other processes answered', here(counts.forwarded)],
    ['lease_lag_seconds', 'gauge', 'How long the last renewal of the lease took', here(lagSeconds)],
  ]
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

type Metric = readonly [name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]]

function metricText([name, type, help, samples]: Metric, prefix = ''): string {
  const full = prefix + name
  const lines = samples.map(({ labels, value }) => `${full}${labelText(labels)} ${value}\n`)
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`
}

const labelText = (labels: Sample['labels']) => {
  const named = Object.entries(labels).map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, escaped)}"`)
  return named.length > 0 ? `{${named.join(',')}}` : ''
}

const escaped = (character: string) => (character === '\n' ? '\\n' : `\\${character}`)

/** The processes of the cluster. Any of them can answer, because everything is in the database. */
export function nodeCalls({ forwarder }: ControlSettings) {
  return {
    'GET /nodes': async ({ request, answer }) => {
      const { offset, limit } = windowIn(request)
      const text = one(request, 'q')?.trim() ?? ''
      const holders = forwarder?.holders
      if (!holders)
        return answer(200, {
          node: `${hostname()}-${process.pid}`,
          clustered: false,
          nodes: [],
          holdings: { data: [], total: 0 },
        })
      const [nodes, { rows, total }] = await Promise.all([
        holders.nodes(),
        holders.heldMerchants({ text, offset, limit }),
      ]).catch(cause => {
        throw storeRefusal(cause, 'try again')
      })
      return answer(200, {
        node: holders.node,
        clustered: true,
        nodes: nodes.map(nodeView),
        holdings: { data: rows.map(holdingView), total },
      })
    },
  } satisfies Partial<ControlHandlers>
}

const nodeView = ({ renewedMsAgo, lagMs, ...state }: NodeState) => {
  const { node, address, serving, merchants, takeovers, moves, forwarded } = state
  const times = { renewed_ms_ago: rounded(renewedMsAgo), lag_ms: rounded(lagMs) }
  return { node, address, serving, merchants, ...times, takeovers, moves, forwarded }
}

const holdingView = ({ merchant, node, takeovers }: HeldMerchant) => ({ merchant, node, takeovers })

const rounded = (ms: number) => Math.max(0, Math.round(ms * 10) / 10)

const readToken = bodyReader<TokenBody>(TokenBody)

/** Signing in to the dashboard. Only the calls for signing in and out need no control token. */
export function dashboardCalls({ signInLinks, publicUrl }: ControlSettings, session: Session) {
  /** A caller behind a balancer gets a link through it, because the cookie is valid only for that address. */
  const baseFor = ({ headers: { host } }: Request): string | undefined =>
    publicUrl !== undefined && new URL(publicUrl).host === host
      ? `${publicUrl}${CONTROL_PREFIX}/dashboard`
      : undefined
  return {
    'POST /dashboard/links': ({ request, answer }) => answer(201, signInLinks.issue(baseFor(request))),

    // It gives no reason, because the page says what to do.
    'GET /dashboard/sign-in': async ({ request, reply }) => {
      const good = await signInLinks.redeem(request.query.code)
      if (good) reply.header('set-cookie', session.begin(request))
      return reply
        .code(303)
        .headers({
          location: good ? '/_paysim/dashboard/' : '/_paysim/dashboard/?link=used',
          'referrer-policy': 'no-referrer',
        })
        .send()
    },

    'GET /dashboard/session': ({ request, answer }) => answer(200, { signed_in: session.admits(request) }),
    'POST /dashboard/session': async ({ request, answer, reply }) => {
      if (!comesFromOwnPage(request)) throw refuse('unauthorized', 'Only the dashboard can sign in here')
      const { token } = await readToken(request)
      if (!session.isToken(token))
        throw refuse('unauthorized', 'This is not the control token of this server')
      reply.header('set-cookie', session.begin(request))
      return answer(204)
    },
    'DELETE /dashboard/session': ({ request, answer, reply }) => {
      if (!comesFromOwnPage(request)) throw refuse('unauthorized', 'Only the dashboard can sign out here')
      reply.header('set-cookie', session.end(request))
      return answer(204)
    },
  } satisfies Partial<ControlHandlers>
}
