import { closest } from '../contract/closest.ts'
import type { Contract } from '../contract/decisions.ts'
import { type FieldProblem, type Rejection, rejection } from '../contract/errors.ts'
import { PAYER_FIELDS, type PayerField } from '../contract/resources.ts'
import type { CheckoutMode, Environment } from '../contract/statuses.ts'
import { type Catalogue, compareAmounts, type MethodEntry, type RouteEntry } from './catalogue.ts'
import type { Context } from './decide/decision.ts'
import type { Customer, MethodOptions } from './model.ts'
import type { World } from './world.ts'

/** Chooses the route of a payment. */

export interface RouteRequest {
  readonly amount: string
  readonly country: string
  readonly currency: string
  readonly checkoutMode: CheckoutMode
  readonly environment: Environment
  readonly provider?: string | undefined
}

export interface RoutingTable {
  readonly catalogue: Catalogue
  readonly isHealthy: (provider: string) => boolean
}

const isConfigured = (route: RouteEntry, request: RouteRequest) =>
  route.country === request.country &&
  route.currency === request.currency &&
  route.checkout_modes.includes(request.checkoutMode) &&
  route.environments.includes(request.environment) &&
  (request.provider === undefined || route.provider === request.provider)

/** The default limits of a route. */
const LEAST = '1'

const takesAmount = (route: RouteEntry, amount: string) =>
  compareAmounts(amount, route.min_amount ?? LEAST) >= 0 &&
  (route.max_amount === undefined || compareAmounts(amount, route.max_amount) <= 0)

const mapsBank = ({ banks }: RouteEntry, bank: string) => banks !== undefined && Object.hasOwn(banks, bank)

const servesBank = (route: RouteEntry, bank: string | undefined) =>
  bank === undefined || mapsBank(route, bank)

/** An eligible method, with the facts for discovery. */
export interface EligibleMethod {
  readonly method: MethodEntry
  readonly banks: readonly { readonly code: string; readonly label: string }[]
  readonly required: ReadonlySet<PayerField>
  readonly named: ReadonlySet<PayerField>
  readonly actions: readonly RouteEntry['action'][]
}

const isEligible = (table: RoutingTable, request: RouteRequest) => (route: RouteEntry) =>
  isConfigured(route, request) && takesAmount(route, request.amount) && table.isHealthy(route.provider)

/** The routes of all methods that could be chosen now. */
export const eligibleRoutes = (table: RoutingTable, request: RouteRequest): RouteEntry[] =>
  table.catalogue.data.routes.filter(isEligible(table, request))

export function eligibleMethods(table: RoutingTable, request: RouteRequest): EligibleMethod[] {
  const eligible: EligibleMethod[] = []
  for (const method of table.catalogue.methods.values()) {
    const routes = (table.catalogue.routesOf.get(method.code) ?? []).filter(isEligible(table, request))
    if (routes.length > 0) eligible.push(describe(method, routes))
  }
  return eligible
}

/**
 * The routes that a create request could use: the first one, and each later one that is the first to support some
 * bank. Together they show what a request with any listed bank needs.
 */
function describe(method: MethodEntry, routes: readonly RouteEntry[]): EligibleMethod {
  const serving = new Set(routes.slice(0, 1))
  const banks = (method.banks ?? []).filter(bank => {
    const route = routes.find(candidate => mapsBank(candidate, bank.code))
    if (route) serving.add(route)
    return route !== undefined
  })
  const payer = (wanted: (asked: boolean) => boolean) =>
    new Set(
      PAYER_FIELDS.filter(field =>
        [...serving].some(({ payer }) => payer?.[field] !== undefined && wanted(payer[field])),
      ),
    )
  return {
    method,
    banks: banks.map(({ code, label }) => ({ code, label })),
    required: payer(asked => asked),
    named: payer(() => true),
    actions: [...new Set([...serving].map(route => route.action))],
  }
}

/** The method that the payer uses, and the bank if one was chosen. */
interface MethodChoice {
  readonly method: string
  readonly bank: string | undefined
}

/** The route to freeze, or the reason why there is none. */
export function chooseRoute(
  table: RoutingTable,
  contract: Contract,
  request: RouteRequest,
  { method, bank }: MethodChoice,
): { route: RouteEntry } | { refused: Rejection } {
  if (!table.catalogue.methods.has(method)) return { refused: unknownMethod(contract, method, table) }
  const routes = table.catalogue.routesOf.get(method) ?? []
  for (const route of routes)
    if (
      isConfigured(route, request) &&
      servesBank(route, bank) &&
      takesAmount(route, request.amount) &&
      table.isHealthy(route.provider)
    )
      return { route }
  return { refused: whyNoRoute(routes, contract, request, bank) }
}

function whyNoRoute(
  routes: readonly RouteEntry[],
  contract: Contract,
  request: RouteRequest,
  bank: string | undefined,
): Rejection {
  const configured = routes.filter(route => isConfigured(route, request))
  const able = configured.filter(route => servesBank(route, bank))
  if (able.length === 0) return unconfigured(configured.length > 0 ? `Bank ${bank}` : 'This method')
  const isOutside = !able.some(route => takesAmount(route, request.amount))
  return isOutside ? outsideLimits(able, contract, request.amount) : noRoute()
}

/** Why no method could pay a hosted intent without a method; undefined if one could. */
export function whyNoMethod(
  table: RoutingTable,
  contract: Contract,
  request: RouteRequest,
): Rejection | undefined {
  if (eligibleMethods(table, request).length > 0) return undefined
  const configured = table.catalogue.data.routes.filter(route => isConfigured(route, request))
  const isOutside = configured.length > 0 && !configured.some(route => takesAmount(route, request.amount))
  return isOutside ? outsideLimits(configured, contract, request.amount) : noRoute()
}

/** An option value that the method does not list is a problem of the request, independent of the routes. */
export function unknownBank(
  { methods }: Catalogue,
  code: string,
  bank: string | undefined,
): FieldProblem | undefined {
  const method = methods.get(code)
  if (!method || bank === undefined) return undefined
  const banks = method.banks ?? []
  if (banks.some(listed => listed.code === bank)) return undefined
  const message =
    banks.length > 0
      ? `is not a bank of this method: ${bank}`
      : `must be left out: ${code} has no banks to choose from`
  return { field: 'payment_method_options.bank', message }
}

const noRoute = () => rejection('routing_unavailable', 'No healthy route is available for this request now')

function outsideLimits(routes: readonly RouteEntry[], contract: Contract, amount: string): Rejection {
  const limits = limitsOf(routes).map(({ min, max }) =>
    max === null ? `${min} or more` : `${min} to ${max}`,
  )
  return rejection(
    contract['errors.amount_limits'],
    `The amount ${amount} is outside the limits of every route; possible, in minor units: ${limits.join('; ')}`,
  )
}

interface Limits {
  readonly min: string
  /** Null if there is none. */
  readonly max: string | null
}

/** The ranges of amounts that some route accepts, in ascending order, with overlapping ranges merged. */
function limitsOf(routes: readonly RouteEntry[]): Limits[] {
  const ranges = routes
    .map(({ min_amount: min = LEAST, max_amount: max = null }) => ({ min, max }))
    .sort((a, b) => compareAmounts(a.min, b.min))
  const merged: Limits[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (!last || (last.max !== null && compareAmounts(range.min, last.max) > 0)) merged.push(range)
    else merged[merged.length - 1] = { min: last.min, max: greater(last.max, range.max) }
  }
  return merged
}

const greater = (a: string | null, b: string | null) =>
  a === null || b === null ? null : compareAmounts(a, b) > 0 ? a : b

function unconfigured(what: string): Rejection {
  return rejection(
    'payment_configuration_unavailable',
    `${what} has no configured execution for this country, currency and checkout mode`,
  )
}

function unknownMethod(contract: Contract, method: string, { catalogue }: RoutingTable): Rejection {
  const code = contract['errors.unknown_method']
  const meant = closest(method, catalogue.methods.keys())
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const details = [{ field: 'payment_method', message: `is not a known method: ${method}${hint}` }]
  return rejection(code, 'payment_method is not a known method', details)
}

/** The fields that a route requires and that are missing in the request, with their names in the request. */
export function missingFields({ payer }: RouteEntry, customer: Customer, options: MethodOptions): string[] {
  if (!payer) return []
  const given: Record<PayerField, string | undefined> = {
    customer_name: customer.name,
    customer_phone: customer.phone,
    account_name: options.account_name,
    account_number: options.account_number,
    bank: options.bank,
    name_th: options.name_th,
  }
  return PAYER_FIELDS.filter(field => payer[field] && given[field] === undefined).map(requestField)
}

/** The name in the create request of a payer field of discovery. */
function requestField(field: PayerField): string {
  if (field === 'customer_name') return 'customer.name'
  if (field === 'customer_phone') return 'customer.phone'
  return `payment_method_options.${field}`
}

/** The catalogue in force, with the last health that was set for its providers. */
export function routingTable(world: World, context: Pick<Context, 'catalogue'>): RoutingTable {
  const catalogue = world.catalogue ?? context.catalogue
  return {
    catalogue,
    isHealthy: provider => world.health.get(provider) ?? catalogue.healthy.has(provider),
  }
}
