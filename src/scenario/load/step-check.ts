import type { FieldProblem } from '../../contract/errors.ts'
import type { CatalogueLists } from '../schema/account.ts'
import type { Path } from './path.ts'

/** What a file is checked against, besides its schema. */
export interface CheckContext {
  /** The default catalogue. */
  readonly catalogue: CatalogueLists
  /** Operations such as `POST /payment_intents`. */
  readonly operations: readonly string[]
  /** The folder that the file's paths are relative to, if it is known. */
  readonly folder: string | undefined
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
