/** A package in the list of what is bundled. */
export interface Notice {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** The text of the licence, or its name if the package has no text. */
  readonly text: string
}

/** Reads dist/third-party-licences.txt: each package has a title with a line below it, and its text. */
export function noticesIn(list: string): Notice[] {
  const titles = [...list.matchAll(/^((?:@[^/\s]+\/)?[^\s@/]+) (\d\S*) \((.+)\)\n=+\n/gm)]
  return titles.map((title, nth) => {
    const [whole, name = '', version = '', licence = ''] = title
    const text = list.slice(title.index + whole.length, titles[nth + 1]?.index).trim()
    return { name, version, licence, text }
  })
}

/** The packages whose code a text imports; types are not code. */
export const packagesImportedBy = (source: string): string[] =>
  [...source.matchAll(/^(?:import|export)\s(?!type\b)[^;'"]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm)]
    .map(([, whole = '', late = whole]) => late)
    .filter(path => !/^(\.|node:)/.test(path))
    .map(path => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
