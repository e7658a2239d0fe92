/** Reads the forms of a page, as a browser without scripts does. */
interface Form {
  action: string
  method: string
  fields: URLSearchParams
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag)?.slice(1).find(Boolean)

const unescapeHtml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')

/** Every form of the page, once for each of its buttons, with plausible values. */
export function formsOf(html: string, pageUrl: string): Form[] {
  return [...html.matchAll(/<form\b[^>]*>([\s\S]*?)<\/form>/gi)].flatMap(([whole, inside = '']) => {
    const tag = /<form\b[^>]*>/i.exec(whole)?.[0] ?? ''
    const action = new URL(unescapeHtml(attribute(tag, 'action') ?? ''), pageUrl).href
    const method = (attribute(tag, 'method') ?? 'get').toUpperCase()
    const fields = filledFields(inside)
    const buttons = inside.match(/<button\b[^>]*>/gi) ?? []
    const named = buttons.filter(button => attribute(button, 'name') !== undefined)
    if (named.length === 0) return [{ action, method, fields }]
    return named.map(button => {
      const pressed = new URLSearchParams(fields)
      pressed.set(attribute(button, 'name') ?? '', unescapeHtml(attribute(button, 'value') ?? ''))
      return { action, method, fields: pressed }
    })
  })
}

function filledFields(inside: string): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [tag] of inside.matchAll(/<input\b[^>]*>/gi)) {
    const name = attribute(tag, 'name')
    const type = attribute(tag, 'type') ?? 'text'
    if (name === undefined || ['submit', 'file'].includes(type)) continue
    if (type === 'radio' && fields.has(name)) continue
    fields.set(name, unescapeHtml(attribute(tag, 'value') ?? 'Malee Srisuk'))
  }
  for (const [whole, inner = ''] of inside.matchAll(/<select\b[^>]*>([\s\S]*?)<\/select>/gi)) {
    const values = (inner.match(/<option\b[^>]*>/gi) ?? []).map(option => attribute(option, 'value'))
    fields.set(attribute(whole, 'name') ?? '', unescapeHtml(values.find(Boolean) ?? ''))
  }
  return fields
}

export const submit = (form: Form): Promise<Response> =>
  form.method === 'POST'
    ? fetch(form.action, { method: 'POST', body: form.fields })
    : fetch(`${form.action}?${form.fields}`)
