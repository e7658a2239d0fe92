/** A line of CSV, by RFC 4180. A single empty field is quoted, because readers skip empty lines. */
export function csvLine(values: readonly unknown[]): string {
  const fields = values.map(field)
  return `${fields.length === 1 && fields[0] === '' ? '""' : fields.join(',')}\r\n`
}

function field(value: unknown): string {
  const text = typeof value === 'string' ? withoutFormula(value) : value == null ? '' : JSON.stringify(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet runs text that begins like this as a formula, so a reference written by an attacker could send the sheet
 * to them. The apostrophe makes it text. Programs that need the exact value use JSON.
 */
const FORMULA = /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/

const withoutFormula = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
