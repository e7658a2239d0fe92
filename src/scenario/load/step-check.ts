import type { FieldProblem } from '../../contract/errors.ts'
import type { CatalogueLists } from '../schema/catalogue.ts'
import type { Path } from './path.ts'

/** What a file is checked against besides its schema. */
export interface Standards {
  /** The default catalogue. */
  readonly catalogue: CatalogueLists
  /** `POST /payment_intents` and so on. */
  readonly operations: readonly string[]
  /** The folder that the file's paths start from, if it is known. */
  readonly folder: string | undefined
}

/** What the check of a step can use. Paths start at the step. */
export interface StepCheck {
  readonly standards: Standards
  /** What the steps before it captured. */
  readonly names: ReadonlySet<string>
  /** The clock's mode at this step. */
  clockMode: 'virtual' | 'real'
  /** Whether the file names an application. */
  readonly hasApplication: boolean
  say(path: Path, message: string): void
  add(problems: readonly FieldProblem[]): void
  /** Checks an expectation; `words: false` where the words of the verb do not apply. */
  expectation(expected: unknown, path: Path, options?: { readonly words?: false }): void
  /** Checks steps that run several times, and then what else can refer to `${n}`. */
  counted(steps: readonly unknown[], path: Path, andThen?: () => void): void
  /** Checks branches that run at the same time: none can refer to what another one captures. */
  branches(branches: readonly unknown[], path: Path): void
  references(value: unknown, path: Path): void
}
