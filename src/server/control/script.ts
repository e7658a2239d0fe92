import * as Type from '@sinclair/typebox'
import type { CatalogueState } from '../../contract/control/catalogue.ts'
import {
  FaultsReplacement,
  type FaultsState,
  type HoldRecord,
  HoldRelease,
} from '../../contract/control/faults.ts'
import { HealthBody } from '../../contract/control/requests.ts'
import { RulesReplacement, type RulesState } from '../../contract/control/rules.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { operationNames } from '../../contract/operations.ts'
import type { Wire } from '../../contract/schema.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import { type FaultWindow, readFaults } from '../../domain/faults.ts'
import { FROM_THE_TOP } from '../../domain/list-index.ts'
import { UNCOUNTED } from '../../domain/match-limits.ts'
import { routingTable } from '../../domain/routing.ts'
import { type Facts, paymentFacts, payoutFacts } from '../../domain/rules/condition.ts'
import { tryRules } from '../../domain/rules/consult.ts'
import { readRules } from '../../domain/rules/rule.ts'
import type { ListedRecords } from '../../domain/table.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { carryOut } from '../carry-out.ts'
import { demandNoProblems, refuseProblems } from '../refusal.ts'
import { bodyReader, type ControlHandlers, type ControlSettings, found, param } from './control-call.ts'

/** For what is checked as it is compiled. */
const readObject = bodyReader<unknown>(Type.Object({}))
const readRulesReplacement = bodyReader<Pick<Wire<typeof RulesReplacement>, 'instead_of'>>(
  Type.Pick(RulesReplacement, ['instead_of'], { additionalProperties: true }),
)
const readFaultsReplacement = bodyReader<Pick<Wire<typeof FaultsReplacement>, 'instead_of'>>(
  Type.Pick(FaultsReplacement, ['instead_of'], { additionalProperties: true }),
)

/** Reads and replaces rules, adds rules in front, and restores the standard rules. */
export const ruleCalls = {
  'GET /accounts/:account/rules': ({ runtime, answer }) => answer(200, rulesView(runtime)),
  'PUT /accounts/:account/rules': async ({ runtime, request, answer }) => {
    const { instead_of: insteadOf, ...body } = await readRulesReplacement(request)
    await carryOut(runtime, { type: 'ReplaceRules', rules: rulesIn(body).data, insteadOf }, 'operator')
    return answer(200, rulesView(runtime))
  },
  'POST /accounts/:account/rules': async ({ runtime, request, answer }) => {
    await carryOut(
      runtime,
      { type: 'PutRulesInFront', rules: rulesIn(await readObject(request)).data },
      'operator',
    )
    return answer(200, rulesView(runtime))
  },
  'POST /accounts/:account/rules/try': async ({ runtime, request, answer }) => {
    const { rules } = rulesIn(await readObject(request))
    const { payments, payouts } = runtime.account.world
    const { environment } = runtime.account
    const of = {
      payments: lastOf(payments, payment => paymentFacts(payment, payment.route, environment)),
      payouts: lastOf(payouts, payout => payoutFacts(payout, environment)),
    }
    const oldestFirst = [...of.payments, ...of.payouts].reverse().sort((one, other) => one.at - other.at)
    const tried = tryRules(
      rules,
      oldestFirst.map(({ facts }) => facts),
    )
    return answer(200, {
      payments: of.payments.length,
      payouts: of.payouts.length,
      rules: tried.map(({ payment, payout }) => ({ payments: payment, payouts: payout })),
    })
  },
  'DELETE /accounts/:account/rules': async ({ runtime, answer }) => {
    await carryOut(runtime, { type: 'ReplaceRules', rules: null }, 'operator')
    return answer(200, rulesView(runtime))
  },
} satisfies Partial<ControlHandlers>

function rulesIn(body: unknown) {
  const read = readRules(body)
  if ('problems' in read) throw refuseProblems(read.problems)
  return read
}

/** How many payments, and how many payouts, rules are tried with. */
const TRIED = 100

/** The newest of a list. */
function lastOf<R>(list: ListedRecords<R>, factsOf: (record: R) => Facts) {
  const found: { readonly at: number; readonly facts: Facts }[] = []
  for (const { at, record } of list.below(FROM_THE_TOP, () => true)) {
    if (found.length === TRIED) break
    found.push({ at, facts: factsOf(record) })
  }
  return found
}

/** The rules as they were given, and how often each matched. */
function rulesView({ account, rules: standard }: AccountRuntime): RulesState {
  const { rules, ruleCounts } = account.world
  const inForce = rules ?? standard
  return {
    standard: rules === null,
    rules: inForce.map(({ data }) => data),
    used: inForce.map((_, at) => (ruleCounts.get(at) ?? UNCOUNTED).used),
  }
}

/** Faults on the wire. */
export function faultCalls({ gateway, faultBoxes }: ControlSettings) {
  const served = [...operationNames(gateway.contract).values()].flat()
  const view = (account: string): FaultsState => {
    const runtime = gateway.runtime(account)
    return {
      faults: runtime?.account.world.faults.data ?? [],
      windows: runtime?.account.world.faults.windows.map(windowView) ?? [],
      used: runtime ? faultBoxes.of(runtime).used() : [],
    }
  }
  return {
    'GET /accounts/:account/faults': ({ runtime, answer }) => answer(200, view(runtime.account.id)),
    'PUT /accounts/:account/faults': async ({ runtime, request, answer }) => {
      const { instead_of: insteadOf, ...body } = await readFaultsReplacement(request)
      const read = readFaults(body, served)
      if ('problems' in read) throw refuseProblems(read.problems)
      await carryOut(runtime, { type: 'ReplaceFaults', faults: read.data, insteadOf }, 'operator')
      return answer(200, view(runtime.account.id))
    },
    'DELETE /accounts/:account/faults': async ({ runtime, answer }) => {
      await carryOut(runtime, { type: 'ReplaceFaults', faults: [] }, 'operator')
      return answer(200, view(runtime.account.id))
    },
  } satisfies Partial<ControlHandlers>
}

const readRelease = bodyReader<HoldRelease>(HoldRelease, { optional: true })

/** What faults of type `hold` hold now. */
export function holdCalls({ gateway: { holds } }: ControlSettings) {
  return {
    'GET /accounts/:account/holds': ({ runtime, answer }) =>
      answer(200, { data: holds.of(runtime.account.id) }),
    'POST /accounts/:account/holds/:id/release': async ({ runtime, request, answer }) => {
      const release = await readRelease(request)
      const held = found('hold', holds.find(runtime.account.id, param(request, 'id')))
      demandNoProblems(releaseProblems(release ?? {}, held.kind))
      holds.release(held.id, release ?? {})
      return answer(200, held)
    },
  } satisfies Partial<ControlHandlers>
}

/** What the server itself must say of a message, or a proxy must be able to rely on. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'request-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

function releaseProblems(
  { drop, status, headers = {}, body }: HoldRelease,
  kind: HoldRecord['kind'],
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string) => problems.push({ field, message })
  const rest = { status, headers: Object.keys(headers).length > 0 ? headers : undefined, body }
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue
    if (drop) say(name, 'cannot be combined with drop')
    else if (kind === 'webhook' && status !== undefined && name !== 'status')
      say(name, 'cannot be combined with status on a webhook: with a status it is not sent')
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/i.test(name)) say(`headers.${name}`, 'is not the name of a header')
    else if (OWN_HEADERS.includes(name.toLowerCase())) say(`headers.${name}`, 'cannot be set')
    else if (!/^[\t\x20-\x7e]*$/.test(value)) say(`headers.${name}`, 'must be printable ASCII')
  }
  return problems
}

/**
 * The window in effect: `for` counts from when the faults were set. Null if the fault can happen at any time.
 */
const windowView = ({ from, until }: FaultWindow) =>
  from === null && until === null
    ? null
    : {
        from: from === null ? null : formatTimestamp(from),
        until: until === null ? null : formatTimestamp(until),
      }

const readHealth = bodyReader<HealthBody>(HealthBody)

export const catalogueCalls = {
  'GET /accounts/:account/catalogue': ({ runtime, answer }) => answer(200, catalogueView(runtime)),

  'PUT /accounts/:account/catalogue': async ({ runtime, request, answer }) => {
    const catalogue = (await readObject(request)) as CatalogueData
    await carryOut(runtime, { type: 'ReplaceCatalogue', catalogue }, 'operator')
    return answer(200, catalogueView(runtime))
  },

  'PATCH /accounts/:account/catalogue/providers/:provider': async ({ runtime, request, answer }) => {
    const { healthy } = await readHealth(request)
    const provider = param(request, 'provider')
    await carryOut(runtime, { type: 'SetProviderHealth', provider, healthy }, 'operator')
    return answer(200, { id: provider, healthy })
  },
} satisfies Partial<ControlHandlers>

/** The catalogue as it was given, with each provider's current health. */
function catalogueView(runtime: AccountRuntime): CatalogueState {
  const { catalogue, isHealthy } = routingTable(runtime.account.world, runtime)
  const { providers, methods, routes } = catalogue.data
  return { providers: providers.map(({ id }) => ({ id, healthy: isHealthy(id) })), methods, routes }
}
