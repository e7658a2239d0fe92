import { dirname, resolve } from 'node:path'
import type { Node } from 'yaml'
import { plainYaml } from '../../files/plain-yaml.ts'
import { FileRefusedError } from '../../files/regular-file.ts'
import { readYaml, yamlLibrary } from '../../files/yaml-document.ts'
import type { Scenario, ScenarioData } from '../schema/file.ts'
import { checkScenario } from './check-scenario.ts'
import {
  type FileProblem,
  type Path,
  type PathFinder,
  type PositionFinder,
  ScenarioError,
  type SourcePosition,
} from './problems.ts'
import { readScenarioFile } from './scenario-files.ts'

export async function loadScenario(file: string): Promise<Scenario> {
  let text: string
  try {
    text = await readScenarioFile(file)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = cause instanceof FileRefusedError ? why : `cannot be read: ${why}`
    throw new ScenarioError([{ file, line: 1, column: 1, message }])
  }
  return readScenario(text, { file, folder: dirname(resolve(file)) })
}

/** Reads the text of a scenario, or throws a ScenarioError with all of its problems. */
export async function readScenario(
  text: string,
  { file, folder }: Pick<Scenario, 'file' | 'folder'>,
): Promise<Scenario> {
  // A stranger's text has one reader, so that nothing of it means one thing here and another there.
  const { data, positions } = parseScenario(file, text, folder === null ? undefined : plainYaml(text))
  const problems = checkScenario(data, positions, folder)
  if (!problems.none) throw new ScenarioError(problems.in(file, positions), nameIn(data))
  return { file, folder, data: data as ScenarioData, positions }
}

function nameIn(data: unknown): string | undefined {
  const name = typeof data === 'object' && data !== null && 'name' in data ? data.name : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

interface Parsed {
  readonly data: unknown
  readonly positions: Positions
}

/** Parses a scenario in YAML or JSON. */
function parseScenario(file: string, text: string, plain: ReturnType<typeof plainYaml>): Parsed {
  const positions = new Positions(text)
  if (plain) return { data: plain.value, positions }
  const { document } = positions.read
  if (document.errors.length > 0) {
    const problems: FileProblem[] = document.errors.map(({ message, pos }) => ({
      file,
      ...positions.at(pos[0]),
      message: message.split('\n')[0] ?? message,
    }))
    throw new ScenarioError(problems)
  }
  try {
    return { data: document.toJS({ maxAliasCount: 1000 }), positions }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new ScenarioError([{ file, line: 1, column: 1, message }])
  }
}

/**
 * The position of each value of a document, which is read again for the first one that somebody asks for. It works for
 * JSON too, because JSON is YAML.
 */
export class Positions implements PathFinder, PositionFinder {
  #read: ReturnType<typeof readYaml> | undefined

  constructor(readonly text: string) {}

  get read() {
    this.#read ??= readYaml(this.text, { merge: true })
    return this.#read
  }

  /** The position of the value at a path or, if there is none, of the nearest value around it. */
  of(path: Path): SourcePosition {
    let node = this.read.document.contents as Node | null
    let offset = node?.range?.[0] ?? 0
    for (const part of path) {
      const inner = step(this.#behind(node), String(part))
      if (!inner) break
      offset = inner.offset
      node = inner.node
    }
    return this.at(offset)
  }

  pathOf(field: string): Path {
    const { isMap, isSeq } = yamlLibrary()
    const parts = field.split('.')
    const path: (string | number)[] = []
    let node = this.read.document.contents as Node | null
    for (let at = 0; at < parts.length; ) {
      const here = this.#behind(node)
      let taken = 1
      for (let end = parts.length; end > at + 1; end--)
        if (isMap(here) && here.has(parts.slice(at, end).join('.'))) {
          taken = end - at
          break
        }
      const key = parts.slice(at, at + taken).join('.')
      path.push(isSeq(here) ? Number(key) : key)
      node = step(here, key)?.node ?? null
      at += taken
    }
    return path
  }

  at(offset: number): SourcePosition {
    const { line, col } = this.read.lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  #behind(node: Node | null): Node | null {
    return yamlLibrary().isAlias(node) ? (node.resolve(this.read.document) ?? null) : node
  }
}

function step(node: Node | null, key: string): { node: Node | null; offset: number } | undefined {
  const { isMap, isPair, isScalar, isSeq } = yamlLibrary()
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    const inner = (isPair(item) ? item.value : item) as Node | null | undefined
    return inner ? { node: inner, offset: inner.range?.[0] ?? 0 } : undefined
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(item => isScalar(item.key) && String(item.key.value) === key)
  if (!pair) return undefined
  const name = pair.key as Node
  return { node: pair.value as Node | null, offset: name.range?.[0] ?? 0 }
}
