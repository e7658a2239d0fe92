import * as Type from '@sinclair/typebox'
import { closed, maybe, text } from './words.ts'

type Entry = Record<string, unknown>
type OverlayEntry<Key extends string> = { [K in Key]: string } & Entry

/** Changes to the default catalogue, by id and code; new routes are tried first. `replace` gives a whole catalogue. */
export interface CatalogueOverlay {
  providers?: OverlayEntry<'id'>[]
  methods?: OverlayEntry<'code'>[]
  routes?: OverlayEntry<'id'>[]
  replace?: Record<string, unknown>
}

/** The other members are checked when the two catalogues are merged. */
const entry = (key: string) =>
  Type.Object({ [key]: text('the entry to change, or a new name') }, { additionalProperties: true })

export const CatalogueOverlay = Type.Unsafe<CatalogueOverlay>(
  Type.Object(
    {
      providers: maybe(Type.Array(entry('id'))),
      methods: maybe(Type.Array(entry('code'))),
      routes: maybe(Type.Array(entry('id'))),
      replace: maybe(Type.Object({}, { description: 'a whole catalogue, instead of the default one' })),
    },
    {
      ...closed,
      description: 'changes to the default catalogue, by id and code; new routes are tried first',
    },
  ),
)

const KEYS = { providers: 'id', methods: 'code', routes: 'id' } as const
type List = keyof typeof KEYS

export type CatalogueLists = Record<List, Entry[]>

/** Merges two catalogues: an entry with the same name is changed, and a new entry goes in front. */
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

/**
 * Finds where a problem of the merged catalogue is in the overlay: `routes.3.method` may be `routes.0.method` there.
 */
export function pathInOverlay(merged: unknown, over: CatalogueOverlay, field: string): string {
  if (over.replace !== undefined) return `replace.${field}`
  const [list = '', at = '', ...rest] = field.split('.')
  if (!(list in KEYS)) return ''
  const key = KEYS[list as List]
  const name = (merged as CatalogueLists)[list as List]?.[Number(at)]?.[key]
  const entries: readonly Entry[] = over[list as List] ?? []
  const index = entries.findIndex(entry => entry[key] === name)
  return index < 0 ? list : [list, index, ...rest].join('.')
}
