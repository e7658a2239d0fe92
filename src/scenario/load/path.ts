/** The keys and places that lead to a value of a file. */
export type Path = readonly (string | number)[]

export interface Position {
  readonly line: number
  readonly column: number
}

/** Finds where the value at a path stands in its file. */
export interface PositionFinder {
  of(path: Path): Position
}

/** Finds the path that a validator's dotted field means: keys may have dots of their own. */
export interface PathFinder {
  pathOf(field: string): Path
}
