import { csvForm } from './csv.ts'
import type { Format } from './format.ts'
import { jsonForm, jsonLinesForm, rawForm } from './json.ts'
import type { Path } from './path.ts'
import type { Form } from './sheet.ts'

/** How data is written in a format; for people, what a query led to. */
export async function formOf(
  format: Format,
  query: Path | undefined,
  columns: readonly string[] | undefined,
): Promise<Form> {
  switch (format) {
    case 'json':
      return jsonForm
    case 'jsonl':
      return jsonLinesForm
    case 'yaml':
      return (await import('./yaml-form.ts')).yamlForm
    case 'csv':
      return csvForm(query ? { valueName: query.text } : { columns, valueName: 'value' })
    case 'human':
      return rawForm
  }
}
