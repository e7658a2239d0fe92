import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import type { Path, PathFinder, PositionFinder, SourcePosition } from './problems.ts'

/** The position of each value of a document. It works for JSON too, because JSON is YAML. */
export class Positions implements PathFinder, PositionFinder {
  constructor(
    private readonly document: Document,
    private readonly lines: LineCounter,
  ) {}

  /** The position of the value at a path or, if there is none, of the nearest value around it. */
  of(path: Path): SourcePosition {
    let node = this.document.contents as Node | null
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
    const parts = field.split('.')
    const path: (string | number)[] = []
    let node = this.document.contents as Node | null
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
    const { line, col } = this.lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  #behind(node: Node | null): Node | null {
    return isAlias(node) ? (node.resolve(this.document) ?? null) : node
  }
}

function step(node: Node | null, key: string): { node: Node | null; offset: number } | undefined {
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
