/** Parses RFC 4180: quoted cells may contain commas, line ends and doubled quotes. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (quoted === undefined && plain === '' && end === '') break
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',' && end !== '') rows.push([])
  }
  return rows.filter(row => row.length > 0)
}

/** The cells of each row by the names in the first row. */
export function readTable(text: string): Record<string, string>[] {
  const [names = [], ...rows] = readCsv(text)
  return rows.map(row => {
    if (row.length !== names.length)
      throw new Error(`${row.length} cells under ${names.length} names: ${row}`)
    return Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']))
  })
}

/** One JSON text per line, with any line separator that a reader may use. */
export function readLines(text: string): unknown[] {
  if (!text.endsWith('\n')) throw new Error(`the last line has no end: ${text.slice(-80)}`)
  return text
    .slice(0, -1)
    .split(/[\n\r\x85\u2028\u2029]/)
    .map(line => JSON.parse(line))
}
