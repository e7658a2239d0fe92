const WIDTH = 110
const LONGEST_TEXT = 90

/** Formats answers for people: short values stay on one line, and long texts are cut. */
export function layOut(output) {
  const lines = output
    .replaceAll('\r', '')
    .split('\n')
    .filter(line => line.trim() !== '')
  const values = lines.map(readJson)
  if (values.length > 0 && values.every(value => value !== undefined))
    return { language: 'json', text: values.map(value => layOutValue(value, '')).join('\n') }
  return { language: 'text', text: lines.join('\n') }
}

function readJson(line) {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

function layOutValue(value, indent, taken = 0) {
  const line = onOneLine(value)
  if (typeof value !== 'object' || value === null) return line
  if (indent.length + taken + line.length < WIDTH && (indent !== '' || line.length < 80)) return line
  const deeper = `${indent}  `
  const members = Array.isArray(value)
    ? value.map(item => `${deeper}${layOutValue(item, deeper)}`)
    : Object.entries(value).map(
        ([key, item]) => `${deeper}"${key}": ${layOutValue(item, deeper, key.length + 4)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}

function onOneLine(value) {
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, item]) => `"${key}": ${onOneLine(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Cuts a long text, such as an image, but not an address. */
function cut(text) {
  return text.length <= LONGEST_TEXT || text.startsWith('http')
    ? text
    : `${text.slice(0, LONGEST_TEXT - 30)}…`
}
