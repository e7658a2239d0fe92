import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FieldProblem } from '../../contract/errors.ts'
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

const under = (key: string, list: string, problems: readonly FieldProblem[]) =>
  problems.map(({ field, message }) => ({ field: field.replace(list, key), message }))

export function ruleProblems(key: string, rules: unknown): readonly FieldProblem[] {
  const read = readRules({ rules })
  return 'problems' in read ? under(key, 'rules', read.problems) : []
}

export function faultProblems(
  key: string,
  faults: unknown,
  { operations }: Standards,
): readonly FieldProblem[] {
  const read = readFaults({ faults }, operations)
  return 'problems' in read ? under(key, 'faults', read.problems) : []
}

export function catalogueProblems(
  key: string,
  over: CatalogueOverlay,
  { catalogue }: Standards,
): readonly FieldProblem[] {
  const merged = overlay(catalogue, over)
  const read = readCatalogue(merged)
  if (!('problems' in read)) return []
  return read.problems.map(({ field, message }) => {
    const path = faultPath(merged, over, field)
    const last = field.split('.').at(-1)
    return {
      field: path === '' ? key : `${key}.${path}`,
      message: path === '' ? `${last} ${message}` : message,
    }
  })
}

/** What is wrong inside a step whose shape is right. */
export function problemsInside(
  verb: Verb,
  step: Record<string, unknown>,
  standards: Standards,
): readonly FieldProblem[] {
  switch (verb) {
    case 'set rules':
    case 'add rules':
      return ruleProblems(verb, step[verb])
    case 'set faults':
      return faultProblems(verb, step[verb], standards)
    case 'set catalogue':
      return catalogueProblems(verb, step[verb] as CatalogueOverlay, standards)
    case 'submit receipt':
      return pictureProblems(verb, step, ['image', 'file', 'asset'], standards)
    case 'payer sends receipt':
    case 'upload asset':
      return pictureProblems(verb, step, ['image', 'file'], standards)
    case 'request':
      return step.json !== undefined && step.text !== undefined
        ? [{ field: 'text', message: 'stands beside json: a request has one body' }]
        : []
    default:
      return []
  }
}

function pictureProblems(
  verb: Verb,
  step: Record<string, unknown>,
  from: readonly string[],
  { folder }: Standards,
): FieldProblem[] {
  const given = from.filter(key => step[key] !== undefined)
  if (given.length !== 1) return [{ field: verb, message: `takes one of ${from.join(', ')}` }]
  const file = step.file
  const isPlain = typeof file === 'string' && !file.includes('${')
  const missing = folder !== undefined && isPlain && !existsSync(resolve(folder, file))
  return missing ? [{ field: 'file', message: `names no file: ${file}` }] : []
}
