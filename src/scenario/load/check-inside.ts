import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FieldFault } from '../../contract/errors.ts'
import { readCatalogue } from '../../domain/catalogue.ts'
import { readFaults } from '../../domain/faults/read-faults.ts'
import { readRules } from '../../domain/rules/read-rules.ts'
import type { CatalogueOverlay } from '../schema/catalogue.ts'
import type { Verb } from '../schema/steps.ts'
import { type CatalogueLists, faultPath, overlay } from './overlay.ts'

export interface Standards {
  readonly catalogue: CatalogueLists
  /** `POST /payment_intents` and so on. */
  readonly operations: readonly string[]
  /** The folder that files are looked for from, if it is known. */
  readonly folder: string | undefined
}

const under = (key: string, list: string, faults: readonly FieldFault[]) =>
  faults.map(({ field, message }) => ({ field: field.replace(list, key), message }))

export function ruleFaults(key: string, rules: unknown): readonly FieldFault[] {
  const read = readRules({ rules })
  return 'faults' in read ? under(key, 'rules', read.faults) : []
}

export function faultFaults(key: string, faults: unknown, { operations }: Standards): readonly FieldFault[] {
  const read = readFaults({ faults }, operations)
  return 'faults' in read ? under(key, 'faults', read.faults) : []
}

export function catalogueFaults(
  key: string,
  over: CatalogueOverlay,
  { catalogue }: Standards,
): readonly FieldFault[] {
  const merged = overlay(catalogue, over)
  const read = readCatalogue(merged)
  if (!('faults' in read)) return []
  return read.faults.map(({ field, message }) => {
    const path = faultPath(merged, over, field)
    const last = field.split('.').at(-1)
    return {
      field: path === '' ? key : `${key}.${path}`,
      message: path === '' ? `${last} ${message}` : message,
    }
  })
}

/** What is wrong inside a step whose shape is right. */
export function faultsInside(
  verb: Verb,
  step: Record<string, unknown>,
  standards: Standards,
): readonly FieldFault[] {
  switch (verb) {
    case 'set rules':
    case 'add rules':
      return ruleFaults(verb, step[verb])
    case 'set faults':
      return faultFaults(verb, step[verb], standards)
    case 'set catalogue':
      return catalogueFaults(verb, step[verb] as CatalogueOverlay, standards)
    case 'submit receipt':
      return pictureFaults(verb, step, ['image', 'file', 'asset'], standards)
    case 'payer sends receipt':
    case 'upload asset':
      return pictureFaults(verb, step, ['image', 'file'], standards)
    case 'request':
      return step.json !== undefined && step.text !== undefined
        ? [{ field: 'text', message: 'stands beside json: a request has one body' }]
        : []
    default:
      return []
  }
}

function pictureFaults(
  verb: Verb,
  step: Record<string, unknown>,
  from: readonly string[],
  { folder }: Standards,
): FieldFault[] {
  const given = from.filter(key => step[key] !== undefined)
  if (given.length !== 1) return [{ field: verb, message: `takes one of ${from.join(', ')}` }]
  const file = step.file
  const isPlain = typeof file === 'string' && !file.includes('${')
  const missing = folder !== undefined && isPlain && !existsSync(resolve(folder, file))
  return missing ? [{ field: 'file', message: `names no file: ${file}` }] : []
}
