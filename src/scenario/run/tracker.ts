import type { Path } from '../load/path.ts'
import type { ScenarioData } from '../schema/file.ts'
import type { Webhook } from './inbox.ts'

/** Where a rule or a fault is in the file, and how often it was used. */
export interface Use {
  readonly path: Path
  readonly what: string
  readonly used: number
}

interface Listed {
  readonly path: Path
  readonly what: string
}

const listed = (key: string, path: Path, items: readonly { name?: string }[]): Listed[] =>
  items.map(({ name }, at) => ({ path: [...path, at], what: name ?? `${key} ${at + 1}` }))

/**
 * Tracks how often each rule and fault of the file was used. The simulator counts by index, and steps change the lists.
 */
export class Tracker {
  readonly expected = new Set<Webhook>()
  rules: Listed[]
  faults: Listed[]
  readonly gone: { rules: Use[]; faults: Use[] } = { rules: [], faults: [] }

  constructor({ provider = [], faults = [] }: ScenarioData) {
    this.rules = listed('rule', ['provider'], provider)
    this.faults = listed('fault', ['faults'], faults)
  }

  uses(kind: 'rules' | 'faults', used: readonly number[]): Use[] {
    return [...this.gone[kind], ...this[kind].map((one, at) => ({ ...one, used: used[at] ?? 0 }))]
  }

  replace(
    kind: 'rules' | 'faults',
    used: readonly number[],
    path: Path,
    items: readonly { name?: string }[],
  ): void {
    this.gone[kind].push(...this[kind].map((one, at) => ({ ...one, used: used[at] ?? 0 })))
    this[kind] = listed(kind.slice(0, -1), path, items)
  }

  addRules(path: Path, items: readonly { name?: string }[]): void {
    this.rules = [...listed('rule', path, items), ...this.rules]
  }
}
