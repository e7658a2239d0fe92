import {
  Catalogue as CatalogueBody,
  type CatalogueMethod,
  type CatalogueRoute,
} from '../contract/control/catalogue.ts'
import { parseDuration } from '../contract/durations.ts'
import type { FieldProblem } from '../contract/errors.ts'
import { validator } from '../contract/validation.ts'
import type { FrozenRoute } from './model.ts'

/** The methods that a merchant can offer and the routes that carry them. */

export type CatalogueData = CatalogueBody
export type MethodEntry = CatalogueMethod
export type RouteEntry = CatalogueRoute

/** A catalogue with indexes for routing. */
export interface Catalogue {
  readonly data: CatalogueData
  readonly methods: ReadonlyMap<string, MethodEntry>
  /** In the order in which routing tries them. */
  readonly routesOf: ReadonlyMap<string, readonly RouteEntry[]>
  readonly frozen: ReadonlyMap<string, FrozenRoute>
  /** The providers that the catalogue itself marks as healthy. */
  readonly healthy: ReadonlySet<string>
}

const checkShape = validator(CatalogueBody)

/** Reads a catalogue; the problems say why it is not consistent. */
export function readCatalogue(
  data: unknown,
): { catalogue: Catalogue } | { problems: readonly FieldProblem[] } {
  const problems = checkShape(data)
  if (problems.length > 0) return { problems }
  const catalogue = data as CatalogueData
  const broken = inconsistencies(catalogue)
  return broken.length > 0 ? { problems: broken } : { catalogue: indexCatalogue(catalogue) }
}

function inconsistencies({ providers, methods, routes }: CatalogueData): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string) => problems.push({ field, message })
  const unique = (list: string, key: string, values: readonly string[]) => {
    values.forEach((value, at) => {
      if (values.indexOf(value) < at) say(`${list}.${at}.${key}`, `is used twice: ${value}`)
    })
  }
  unique(
    'providers',
    'id',
    providers.map(provider => provider.id),
  )
  unique(
    'methods',
    'code',
    methods.map(method => method.code),
  )
  unique(
    'routes',
    'id',
    routes.map(route => route.id),
  )
  methods.forEach((method, at) => {
    unique(
      `methods.${at}.banks`,
      'code',
      (method.banks ?? []).map(bank => bank.code),
    )
  })
  routes.forEach((route, at) => {
    const method = methods.find(candidate => candidate.code === route.method)
    if (!method) say(`routes.${at}.method`, `is not a method of this catalogue: ${route.method}`)
    if (!providers.some(provider => provider.id === route.provider))
      say(`routes.${at}.provider`, `is not a provider of this catalogue: ${route.provider}`)
    if (route.action_after !== undefined && parseDuration(route.action_after) === undefined)
      say(`routes.${at}.action_after`, 'must be a duration, such as 10s')
    if (route.min_amount && route.max_amount && compareAmounts(route.min_amount, route.max_amount) > 0)
      say(`routes.${at}.max_amount`, 'must not be below min_amount')
    const banks = new Set(method?.banks?.map(bank => bank.code))
    for (const bank of Object.keys(route.banks ?? {}))
      if (method && !banks.has(bank)) say(`routes.${at}.banks.${bank}`, 'is not a bank of the method')
    if (route.payer?.bank && Object.keys(route.banks ?? {}).length === 0)
      say(`routes.${at}.payer.bank`, 'is required, but the route maps no bank')
  })
  return problems
}

/** A catalogue that needs no checks: the default one, or one that was read before. */
export function indexCatalogue(data: CatalogueData): Catalogue {
  const routesOf = new Map<string, RouteEntry[]>()
  for (const route of data.routes) {
    const routes = routesOf.get(route.method)
    if (routes) routes.push(route)
    else routesOf.set(route.method, [route])
  }
  return {
    data,
    methods: new Map(data.methods.map(method => [method.code, method])),
    routesOf,
    frozen: new Map(data.routes.map(route => [route.id, freeze(route)])),
    healthy: new Set(data.providers.filter(({ healthy }) => healthy !== false).map(({ id }) => id)),
  }
}

function freeze(route: RouteEntry): FrozenRoute {
  return {
    id: route.id,
    provider: route.provider,
    localCode: route.local_code,
    method: route.method,
    action: route.action,
    actionAfterMs: parseDuration(route.action_after ?? '0s') ?? 0,
    takesReceipt: route.receipt === 'required',
    cancelPending: route.cancel_pending,
  }
}

/** Compares amounts as digit strings of any length: the longer one is greater. */
export function compareAmounts(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
