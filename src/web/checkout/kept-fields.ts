/** What the payer typed, chose, unfolded and had the focus in, while the page around it is exchanged for a newer one. */

interface Kept {
  readonly value: string
  readonly files: FileList | null
  /** What was typed into the search for a bank. */
  readonly typed: string | undefined
  /** What the server said of it when its form was sent: a page that is only looked at does not say it again. */
  readonly problem: { readonly id: string; readonly text: string } | undefined
}

type Field = HTMLInputElement | HTMLSelectElement

/** By form and name. What one state of the page has no field for may come back in the next. */
const kept = new Map<string, Kept>()
const unfolded = new Set<string>()

/** Takes note of what stands in the page; what is returned puts it into the one that comes. */
export function keepFields(before: HTMLElement): (after: HTMLElement) => void {
  for (const [key, field] of fieldsOf(before)) {
    const files = field instanceof HTMLInputElement ? field.files : null
    kept.set(key, { value: field.value, files, typed: field.dataset.typed, problem: messageAt(field) })
  }
  for (const [key, { open }] of foldsOf(before)) {
    if (open) unfolded.add(key)
    else unfolded.delete(key)
  }
  const focus = focusIn(before)
  return after => {
    for (const [key, field] of fieldsOf(after)) putBack(field, kept.get(key))
    for (const [key, fold] of foldsOf(after)) if (unfolded.has(key)) fold.open = true
    // The focus goes last: it belongs to what scripts make of the fields.
    queueMicrotask(() => focus(after))
  }
}

function putBack(field: Field, was: Kept | undefined): void {
  if (!was) return
  if (was.typed !== undefined) field.dataset.typed = was.typed
  if (!was.files) {
    field.value = was.value
    putMessageBack(field, was.problem)
  } else if (was.files.length > 0 && field instanceof HTMLInputElement) {
    field.files = was.files
    const fold = field.closest('details')
    if (fold) fold.open = true
    // Its name and its preview are shown, and it is looked at, once the field is listened to.
    queueMicrotask(() => field.dispatchEvent(new Event('change')))
  }
}

const messageBeside = (field: Field) => field.closest('.field')?.querySelector<HTMLElement>('.problem')

function messageAt(field: Field): Kept['problem'] {
  const problem = field.getAttribute('aria-invalid') === 'true' ? messageBeside(field) : undefined
  return problem?.textContent ? { id: problem.id, text: problem.textContent } : undefined
}

function putMessageBack(field: Field, was: Kept['problem']): void {
  if (!was) return
  const message = messageBeside(field) ?? document.createElement('p')
  if (message.textContent) return
  message.className = 'problem'
  message.id = was.id
  message.textContent = was.text
  if (!message.parentElement) field.after(message)
  field.setAttribute('aria-invalid', 'true')
  const described = field.getAttribute('aria-describedby')?.split(' ') ?? []
  field.setAttribute('aria-describedby', [...new Set([...described, was.id])].join(' '))
}

const nameOf = (form: HTMLFormElement) =>
  ['act', 'method'].map(
    name => form.querySelector<HTMLInputElement>(`input[type=hidden][name=${name}]`)?.value,
  )

function fieldsOf(page: HTMLElement): [string, Field][] {
  return [...page.querySelectorAll<Field>('form input:not([type=hidden])[name], form select[name]')].flatMap(
    field => (field.form ? [[JSON.stringify([...nameOf(field.form), field.name]), field]] : []),
  )
}

const foldsOf = (page: HTMLElement): [string, HTMLDetailsElement][] =>
  [...page.querySelectorAll('details')].map(fold => {
    const form = fold.querySelector('form')
    return [JSON.stringify(form ? nameOf(form) : fold.className), fold]
  })

/** All that can have the focus, by what it is; where there are several, by their order. */
function places(page: HTMLElement): Map<string, HTMLElement> {
  const found = new Map<string, HTMLElement>()
  for (const place of page.querySelectorAll<HTMLElement>('a[href], button, input, select, summary')) {
    const form = place.closest('form') ?? place.closest('details')?.querySelector('form')
    const own = ['name', 'value', 'href', 'role', 'data-copy'].map(name =>
      name === 'value' && !(place instanceof HTMLButtonElement) ? null : place.getAttribute(name),
    )
    const key = JSON.stringify([form && nameOf(form), place.tagName, ...own])
    if (!found.has(key)) found.set(key, place)
  }
  return found
}

function focusIn(before: HTMLElement): (after: HTMLElement) => void {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || !before.contains(focused)) return () => {}
  const key = [...places(before)].find(([, place]) => place === focused)?.[0]
  const [start, end] =
    focused instanceof HTMLInputElement && focused.type === 'text'
      ? [focused.selectionStart, focused.selectionEnd]
      : []
  return after => {
    const place = key === undefined ? undefined : places(after).get(key)
    place?.focus({ preventScroll: true })
    if (place instanceof HTMLInputElement && start != null && end != null) place.setSelectionRange(start, end)
    if (place) return
    const heading = after.querySelector<HTMLElement>('h1')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
}
