import { type CsvOptions, csvForm } from './csv.ts'
import type { Format } from './format.ts'
import { jsonForm, jsonLinesForm, rawForm } from './json.ts'
import type { Path } from './path.ts'
import type { Form } from './sheet.ts'
import { visible } from './visible.ts'

/** How data is written in a format; for people, what a query led to. */
export async function formOf(
  format: Format,
  query: Path | undefined,
  csv: Omit<CsvOptions, 'valueName' | 'onLate'> = {},
): Promise<Form> {
  switch (format) {
    case 'json':
      return jsonForm
    case 'jsonl':
      return jsonLinesForm
    case 'yaml':
      return (await import('./yaml-form.ts')).yamlForm
    case 'csv':
      return csvForm(query ? { bom: csv.bom, valueName: query.text } : { ...csv, valueName: 'value', onLate })
    case 'human':
      return rawForm
  }
}

/** The first page has decided the columns: what it did not have is told, and not lost in silence. */
function onLate(paths: readonly string[]): void {
  const [what, has] = paths.length === 1 ? ['this member', 'has'] : ['these members', 'have']
  process.stderr.write(
    `paysim: ${what} came after the first page and ${has} no column: ${visible(paths.join(', '))}. -o jsonl has all\n`,
  )
}
