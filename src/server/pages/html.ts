/** Text that is already HTML. All other values in a page are escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | false | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, at) => text + render(parts[at - 1] ?? '') + string))
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === null || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return escapeHtml(String(part))
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character)

/**
 * An address in an attribute, with the fewest changes that HTML needs: a plain `&name=` is valid there, so a query
 * string stays byte for byte the same.
 */
export function hrefOf(url: string): Html {
  return new Html(url.replace(/&(?![A-Za-z0-9]+=)|[<>"]/g, character => ESCAPES[character] ?? character))
}
