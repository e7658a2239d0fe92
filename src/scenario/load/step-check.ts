import type { FieldProblem } from '../../contract/errors.ts'
import { readCatalogue } from '../../domain/catalogue.ts'
import { readFaults } from '../../domain/faults.ts'
import { readRules } from '../../domain/rules/rule.ts'
import { type CatalogueLists, type CatalogueOverlay, overlay, pathInOverlay } from '../schema/account.ts'
import type { Path } from './problems.ts'
import { problemBelow } from './scenario-files.ts'

/** What a file is checked against, besides its schema. */
export interface CheckContext {
  /** The default catalogue. */
  readonly catalogue: CatalogueLists
  /** Operations such as `POST /payment_intents`. */
  readonly operations: readonly string[]
  /** The folder that the file's paths are relative to, if it is known; null if it came as a text, without a file. */
  readonly folder: string | null | undefined
}

/** What the check of a step can use. Paths are relative to the step. */
export interface StepCheck {
  readonly standards: CheckContext
  /** The names that earlier steps store. */
  readonly names: ReadonlySet<string>
  /** The clock's mode at this step. */
  clockMode: 'virtual' | 'real'
  /** Whether the file names an application. */
  readonly hasApplication: boolean
  say(path: Path, message: string): void
  add(problems: readonly FieldProblem[]): void
  /** Checks an expectation. With `words: false`, the known words of the verb do not apply. */
  expectation(expected: unknown, path: Path, options?: { readonly words?: false }): void
  /** Checks steps that run several times, then whatever else may refer to `${n}`. */
  counted(steps: readonly unknown[], path: Path, andThen?: () => void): void
  /** Checks parallel branches: a branch cannot refer to what another one stores. */
  branches(branches: readonly unknown[], path: Path): void
  references(value: unknown, path: Path): void
}

/** Problems in rules, faults, catalogues and images that a schema cannot find. */

const under = (key: string, list: string, problems: readonly FieldProblem[]) =>
  problems.map(({ field, message }) => ({ field: field.replace(list, key), message }))

export function ruleProblems(key: string, rules: unknown): readonly FieldProblem[] {
  const read = readRules({ rules })
  return 'problems' in read ? under(key, 'rules', read.problems) : []
}

export function faultProblems(
  key: string,
  faults: unknown,
  { operations }: CheckContext,
): readonly FieldProblem[] {
  const read = readFaults({ faults }, operations)
  return 'problems' in read ? under(key, 'faults', read.problems) : []
}

export function catalogueProblems(
  key: string,
  over: CatalogueOverlay,
  { catalogue }: CheckContext,
): readonly FieldProblem[] {
  const merged = overlay(catalogue, over)
  const read = readCatalogue(merged)
  if (!('problems' in read)) return []
  return read.problems.map(({ field, message }) => {
    const path = pathInOverlay(merged, over, field)
    const last = field.split('.').at(-1)
    return {
      field: path === '' ? key : `${key}.${path}`,
      message: path === '' ? `${last} ${message}` : message,
    }
  })
}

/** Of a scenario that came as a text, which may be a stranger's. */
export const OUT_OF_REACH =
  'is out of reach of a text: save the scenario as a file, and run it with `paysim run`'

/** An image must have exactly one source. */
export function checkPicture(verb: string, step: object, from: readonly string[], check: StepCheck): void {
  const given = from.filter(key => key in step)
  if (given.length !== 1)
    return check.add([{ field: verb, message: `needs exactly one of ${from.join(', ')}` }])
  const { folder } = check.standards
  const { file } = step as { file?: string }
  if (file === undefined || folder === undefined) return
  if (folder === null) return check.add([{ field: 'file', message: OUT_OF_REACH }])
  if (file.includes('${')) return
  const message = problemBelow(folder, file)
  if (message !== undefined) check.add([{ field: 'file', message }])
}
