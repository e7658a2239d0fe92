/** Acts as a payer on the hosted page, without scripts: reads its forms, and sends the one for this method. */
export async function choosing(pageUrl: string, method: string): Promise<Response> {
  const page = await (await fetch(pageUrl)).text()
  const form = formsOf(page).find(({ html }) => html.includes(`"${method}"`))
  if (form === undefined) throw new Error(`no form offers ${method}:\n${page}`)
  const fields = new URLSearchParams()
  for (const input of tagsOf(form.html, 'input')) {
    const chosen = input.type === 'radio' ? input.value === method : input.type !== 'submit'
    if (input.name && chosen) fields.append(input.name, input.value ?? '')
  }
  for (const button of tagsOf(form.html, 'button')) {
    if (button.name && button.value === method) fields.append(button.name, method)
  }
  for (const select of tagsOf(form.html, 'select')) {
    if (select.name) fields.append(select.name, method)
  }
  const sent = await fetch(new URL(form.action, pageUrl), { method: 'POST', body: fields })
  if (!sent.ok) throw new Error(`choosing ${method}: ${sent.status} ${await sent.text()}`)
  return sent
}

function formsOf(page: string) {
  return [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', html = '']) => ({
    action: attributesOf(head).action ?? '',
    html,
  }))
}

function tagsOf(html: string, tag: string) {
  return [...html.matchAll(new RegExp(`<${tag}\\b([^>]*)>`, 'g'))].map(([, inside = '']) =>
    attributesOf(inside),
  )
}

function attributesOf(inside: string): Record<string, string> {
  return Object.fromEntries(
    [...inside.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    ]),
  )
}
