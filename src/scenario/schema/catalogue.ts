import * as Type from '@sinclair/typebox'
import { closed, maybe, text } from './words.ts'

/** Members are read, and refused, by the catalogue itself once they are merged. */
const entry = (key: string) => Type.Object({ [key]: text('which one') }, { additionalProperties: true })
export type Entry = Record<string, unknown>
export interface CatalogueOverlay {
  providers?: Entry[]
  methods?: Entry[]
  routes?: Entry[]
  replace?: Record<string, unknown>
}

export const CatalogueOverlay = Type.Unsafe<CatalogueOverlay>(
  Type.Object(
    {
      providers: maybe(Type.Array(entry('id'))),
      methods: maybe(Type.Array(entry('code'))),
      routes: maybe(Type.Array(entry('id'))),
      replace: maybe(Type.Object({}, { description: 'the whole catalogue, in place of the default one' })),
    },
    { ...closed, description: 'laid over the default catalogue, by id and code; new routes are tried first' },
  ),
)
