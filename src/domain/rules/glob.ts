/**
 * Whether a text is what a glob says: `*` is any text, `?` one character, everything else itself. Each star is tried
 * again from where it last was and no further back, so no glob, however many stars it has, takes more than the
 * product of the two lengths.
 */
export function matchesGlob(glob: readonly string[], text: readonly string[]): boolean {
  let [g, t] = [0, 0]
  let star: { g: number; t: number } | undefined
  while (t < text.length) {
    if (glob[g] === '*') star = { g: g++, t }
    else if (glob[g] === '?' || glob[g] === text[t]) {
      g++
      t++
    } else if (star) {
      star.t++
      g = star.g + 1
      t = star.t
    } else return false
  }
  while (glob[g] === '*') g++
  return g === glob.length
}
