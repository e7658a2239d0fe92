/**
 * Whether a text matches a glob. The text before the first wildcard and the one after the last are compared first, because
 * that rules most texts out, and a create compares a reference with many globs.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  const [start = '', ...rest] = glob.split(WILDCARD)
  const end = rest.at(-1)
  if (end === undefined) return text => text === glob
  const characters = [...glob]
  return text => text.startsWith(start) && text.endsWith(end) && matchesGlob(characters, [...text])
}

const WILDCARD = /[*?]/

/**
 * Whether a text matches a glob: `*` is any text, `?` is one character. Only the last star is tried again, so the
 * time is at most the product of the two lengths, however many stars the glob has.
 */
function matchesGlob(glob: readonly string[], text: readonly string[]): boolean {
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
