import type { ProviderRule } from '../../contract/control/rules.ts'
import type { Contract } from '../../contract/decisions.ts'
import { formatDuration } from '../../contract/durations.ts'
import {
  type CatalogueData,
  indexCatalogue,
  type MethodEntry,
  type RouteEntry,
  readCatalogue,
} from '../../domain/catalogue.ts'
import type { Customer, FrozenRoute, MethodOptions } from '../../domain/model.ts'
import {
  chooseRoute,
  missingFields,
  type RouteRequest,
  unknownBank,
  whyNoMethod,
} from '../../domain/routing.ts'
import type { Facts } from '../../domain/rules/condition.ts'
import { compileRule } from '../../domain/rules/rule.ts'

/**
 * What the provider must be like, so that intents get the routes and the rules that they had. Each intent has its own copy
 * of both; what others were in force then is not needed.
 */

/** What one act needs. */
export interface Need {
  readonly rule?: { readonly facts: Facts; readonly is: ProviderRule | undefined }
  readonly route?: RouteNeed
}

interface RouteNeed {
  readonly wanted: RouteRequest
  /** The choice of a method; without it, any method must be possible. */
  readonly choice?: { readonly options: MethodOptions; readonly customer: Customer }
  /** The route that was frozen, or will be; undefined if the payer never chose. */
  readonly is: FrozenRoute | undefined
}

export interface Settings {
  readonly rules: readonly ProviderRule[]
  /** Undefined for the standard one. */
  readonly catalogue: CatalogueData | undefined
}

/** The catalogues to begin with. */
interface Known {
  readonly contract: Contract
  readonly standard: CatalogueData
  readonly catalogue: CatalogueData
}

interface Plan extends Settings {
  /** What must be changed just before an act, if it cannot be the same all the time. */
  readonly changes: ReadonlyMap<Need, Partial<Settings>>
}

export function planFor(needs: readonly Need[], known: Known): Plan {
  const rules = rulesFor(needs)
  const catalogue = catalogueFor(needs, known)
  const changed = needs.map(need => {
    const [ofRules, ofCatalogue] = [rules.changes.get(need), catalogue.changes.get(need)]
    const change = {
      ...(ofCatalogue ? { catalogue: ofCatalogue } : {}),
      ...(ofRules ? { rules: ofRules } : {}),
    }
    return [need, change] as const
  })
  return { rules: rules.first, catalogue: catalogue.first, changes: new Map(changed) }
}

interface Course<T> {
  readonly first: T
  readonly changes: ReadonlyMap<Need, T>
}

/** One setting for everything if there is one; otherwise a change before each act that needs another one. */
function courseOf<T>(
  needs: readonly Need[],
  together: T | undefined,
  {
    first,
    isEnough,
    only,
  }: { first: T; isEnough: (setting: T, need: Need) => boolean; only: (need: Need) => T },
): Course<T> {
  if (together !== undefined && needs.every(need => isEnough(together, need)))
    return { first: together, changes: new Map() }
  const changes = new Map<Need, T>()
  let current = first
  for (const need of needs)
    if (!isEnough(current, need)) {
      current = only(need)
      changes.set(need, current)
    }
  return { first, changes }
}

function rulesFor(needs: readonly Need[]): Course<readonly ProviderRule[]> {
  const frozen = needs.flatMap(({ rule }) => (rule?.is ? [uncounted(rule.is)] : []))
  const distinct = [...new Map(frozen.map(rule => [JSON.stringify(rule), rule])).values()]
  const compiled = new Map(distinct.map(rule => [JSON.stringify(rule), compileRule(rule)]))
  return courseOf<readonly ProviderRule[]>(needs, distinct, {
    first: [],
    isEnough(rules, { rule }) {
      if (!rule) return true
      const taken = rules.find(one => compiled.get(JSON.stringify(one))?.holds(rule.facts))
      return JSON.stringify(taken) === JSON.stringify(rule.is && uncounted(rule.is))
    },
    only: ({ rule }) => (rule?.is ? [uncounted(rule.is)] : []),
  })
}

/** Without what counts: the intents that were counted before are not in the story. */
function uncounted({ times: _, match, not, ...rule }: ProviderRule): ProviderRule {
  const { nth: __, ...condition } = match ?? {}
  const hasCondition = Object.keys(condition).length > 0
  return {
    ...rule,
    ...(hasCondition ? { match: condition } : {}),
    ...(not && not.nth === undefined ? { not } : {}),
  }
}

function catalogueFor(needs: readonly Need[], known: Known): Course<CatalogueData | undefined> {
  const { standard } = known
  const isEnough = (catalogue: CatalogueData | undefined, { route }: Need) =>
    !route || serves(catalogue ?? standard, route, known.contract)
  const routed = needs.flatMap(({ route }) => route ?? [])
  if (needs.every(need => isEnough(undefined, need))) return { first: undefined, changes: new Map() }
  return courseOf<CatalogueData | undefined>(needs, catalogueOf(routed, known), {
    first: undefined,
    isEnough,
    only: ({ route }) => route && catalogueOf([route], known),
  })
}

/** Whether a payment gets the same route from this catalogue. */
function serves(data: CatalogueData, { wanted, choice, is }: RouteNeed, contract: Contract): boolean {
  const catalogue = indexCatalogue(data)
  const table = { catalogue, isHealthy: (provider: string) => catalogue.healthy.has(provider) }
  if (!choice) return whyNoMethod(table, contract, wanted) === undefined
  const { options, customer } = choice
  if (!is || unknownBank(catalogue, is.method, options.bank)) return false
  const chosen = chooseRoute(table, contract, wanted, { method: is.method, bank: options.bank })
  if ('refused' in chosen || missingFields(chosen.route, customer, options).length > 0) return false
  const frozen: Partial<Record<string, unknown>> = { ...catalogue.frozen.get(chosen.route.id) }
  return Object.entries(is).every(([member, value]) => frozen[member] === value)
}

/** A route for a payment whose method was never chosen, and so is not known. */
const UNKNOWN: FrozenRoute = {
  id: 'a-route',
  provider: 'a-provider',
  localCode: 'A-ROUTE',
  method: 'a_method',
  action: 'redirect_to_url',
  actionAfterMs: 0,
  takesReceipt: false,
  cancelPending: true,
}

/** A catalogue of these routes alone; undefined if they contradict each other. */
function catalogueOf(needs: readonly RouteNeed[], known: Known): CatalogueData | undefined {
  const routes = new Map<string, RouteEntry>()
  const isServed = ({ wanted, is }: RouteNeed) =>
    !is && [...routes.values()].some(route => isRouteOf(route, wanted))
  for (const need of needs.toSorted((a, b) => Number(!a.is) - Number(!b.is))) {
    if (isServed(need)) continue
    const route = routeFor(need)
    const { checkout_modes, banks, ...terms } = routes.get(route.id) ?? route
    const { checkout_modes: modes, banks: moreBanks, ...ownTerms } = route
    if (JSON.stringify(terms) !== JSON.stringify(ownTerms)) return undefined
    routes.set(route.id, {
      ...terms,
      checkout_modes: [...new Set([...checkout_modes, ...modes])],
      banks: { ...banks, ...moreBanks },
    })
  }
  const all = [...routes.values()]
  const data = {
    providers: [...new Set(all.map(({ provider }) => provider))].map(id => ({ id, healthy: true })),
    methods: [...new Set(all.map(({ method }) => method))].map(code => methodFor(code, all, known)),
    routes: all,
  }
  return 'problems' in readCatalogue(data) ? undefined : data
}

const isRouteOf = ({ country, currency, checkout_modes: modes }: RouteEntry, wanted: RouteRequest) =>
  country === wanted.country && currency === wanted.currency && modes.includes(wanted.checkoutMode)

function routeFor({ wanted, choice, is = UNKNOWN }: RouteNeed): RouteEntry {
  const bank = choice?.options.bank
  return {
    id: is.id,
    provider: is.provider,
    method: is.method,
    local_code: is.localCode,
    environments: [wanted.environment],
    country: wanted.country,
    currency: wanted.currency,
    checkout_modes: [wanted.checkoutMode],
    action: is.action,
    ...(is.actionAfterMs > 0 ? { action_after: formatDuration(is.actionAfterMs) } : {}),
    banks: bank === undefined ? {} : { [bank]: bank },
    receipt: is.takesReceipt ? 'required' : 'none',
    cancel_pending: is.cancelPending,
  }
}

/** As the account or the standard catalogue names it, if one of them knows it and its banks. */
function methodFor(code: string, routes: readonly RouteEntry[], { catalogue, standard }: Known): MethodEntry {
  const own = routes.filter(({ method }) => method === code)
  const banks = [...new Set(own.flatMap(({ banks = {} }) => Object.keys(banks)))]
  const known = [...catalogue.methods, ...standard.methods].find(method => method.code === code)
  const listed = known?.banks ?? []
  const others = banks.filter(bank => listed.every(one => one.code !== bank))
  const isRedirect = own.some(({ action }) => action === 'redirect_to_url')
  const { label, category } = known ?? {
    label: code,
    category: isRedirect ? 'bank_redirect' : 'bank_transfer',
  }
  return { code, label, category, banks: [...listed, ...others.map(bank => ({ code: bank, label: bank }))] }
}
