/** The known word that is closest to the given one, if any is close enough. */
export const closest = (word: string, words: Iterable<string>): string | undefined =>
  nearest(word, words)?.word

/** The same, with the number of edits that turn one into the other: the smaller, the likelier. */
export function nearest(
  word: string,
  words: Iterable<string>,
): { readonly word: string; readonly distance: number } | undefined {
  let best: { word: string; distance: number } | undefined
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < (best?.distance ?? Math.max(2, word.length / 3) + 1)) best = { word: candidate, distance }
  }
  return best
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
 */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}
