// Apart from what reads YAML, because the published types name it, and a project that uses them has no YAML installed.

/** The keys and indexes that lead to a value of a file. */
export type Path = readonly (string | number)[]

export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Finds the position of the value at a path. */
export interface PositionFinder {
  of(path: Path): SourcePosition
}

/** Finds the path for a dotted field of a validator. A key may itself contain dots. */
export interface PathFinder {
  pathOf(field: string): Path
}
