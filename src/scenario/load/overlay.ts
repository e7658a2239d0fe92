import type { CatalogueOverlay, Entry } from '../schema/catalogue.ts'

const KEYS = { providers: 'id', methods: 'code', routes: 'id' } as const
type List = keyof typeof KEYS

export type CatalogueLists = Record<List, Entry[]>

/** A catalogue with another laid over it: an entry of the same name is changed, a new one goes in front. */
export function overlay(base: CatalogueLists, { replace, ...over }: CatalogueOverlay): unknown {
  if (replace !== undefined) return replace
  return Object.fromEntries(
    (Object.keys(KEYS) as List[]).map(list => [list, laidOver(base[list], over[list] ?? [], KEYS[list])]),
  )
}

function laidOver(base: readonly Entry[], over: readonly Entry[], key: string): Entry[] {
  const changes = new Map(over.map(entry => [entry[key], entry]))
  const known = new Set(base.map(entry => entry[key]))
  return [
    ...over.filter(entry => !known.has(entry[key])),
    ...base.map(entry => ({ ...entry, ...changes.get(entry[key]) })),
  ]
}

/** Where in the overlay the fault of the merged catalogue is: `routes.3.method` may be the overlay's `routes.0.method`. */
export function faultPath(merged: unknown, over: CatalogueOverlay, field: string): string {
  if (over.replace !== undefined) return `replace.${field}`
  const [list = '', at = '', ...rest] = field.split('.')
  if (!(list in KEYS)) return ''
  const key = KEYS[list as List]
  const name = (merged as CatalogueLists)[list as List]?.[Number(at)]?.[key]
  const index = over[list as List]?.findIndex(entry => entry[key] === name) ?? -1
  return index < 0 ? list : [list, index, ...rest].join('.')
}
