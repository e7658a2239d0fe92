interface Row {
  readonly one: string | undefined
  readonly other: string | undefined
}

/** Two lists with their common lines in the same rows, as many of them as possible. */
export function besideEachOther(one: readonly string[], other: readonly string[]): Row[] {
  const common = lengthsOfCommon(one, other)
  const rows: Row[] = []
  let at = 0
  let to = 0
  while (at < one.length || to < other.length) {
    const both = at < one.length && to < other.length
    if (both && one[at] === other[to]) rows.push({ one: one[at++], other: other[to++] })
    else if (to === other.length || (both && lengthAt(common, at + 1, to) >= lengthAt(common, at, to + 1)))
      rows.push({ one: one[at++], other: undefined })
    else rows.push({ one: undefined, other: other[to++] })
  }
  return rows
}

const lengthAt = (common: readonly (readonly number[])[], at: number, to: number) => common[at]?.[to] ?? 0

/** How many lines the rests of both lists have in common, from each pair of places on. */
function lengthsOfCommon(one: readonly string[], other: readonly string[]): number[][] {
  const common: number[][] = Array.from({ length: one.length + 1 }, () => [])
  for (let at = one.length - 1; at >= 0; at--)
    for (let to = other.length - 1; to >= 0; to--) {
      const row = common[at]
      if (row)
        row[to] =
          one[at] === other[to]
            ? lengthAt(common, at + 1, to + 1) + 1
            : Math.max(lengthAt(common, at + 1, to), lengthAt(common, at, to + 1))
    }
  return common
}
