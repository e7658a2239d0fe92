import { setClock } from './clock.ts'

interface LiveUpdate {
  readonly shown: string
  readonly now: number
  readonly rate: number
}

const AGAIN_MS = 2000

/**
 * Follows the payment: the server reports changes, and the page then reloads itself. Returns a function that reloads at
 * once.
 */
export function followPage(enhance: (part: ParentNode) => void): () => void {
  let source: EventSource | undefined
  let isLooking = false
  let again: number | undefined

  const listen = () => {
    source?.close()
    source = undefined
    const { live } = currentPage()?.dataset ?? {}
    if (!live || document.hidden) return
    source = new EventSource(live)
    source.onmessage = ({ data }) => {
      connected(true)
      const { shown, now, rate } = JSON.parse(data) as LiveUpdate
      setClock(now, rate)
      if (currentPage()?.dataset.shown !== shown) void look()
    }
    source.onerror = () => {
      // The browser reconnects after a lost connection, but not after a refusal; then the link is no longer valid.
      if (source?.readyState === EventSource.CLOSED) void look()
      else connected(false)
    }
  }

  const look = async () => {
    clearTimeout(again)
    if (isLooking) return
    isLooking = true
    try {
      const answer = await fetch(location.href, { cache: 'no-store' })
      if (!exchange(await answer.text(), enhance)) throw new Error('this is not a page of paysim')
    } catch {
      connected(false)
      again = window.setTimeout(look, AGAIN_MS)
      return
    } finally {
      isLooking = false
    }
    takeClock()
    listen()
  }

  takeClock()
  listen()
  document.addEventListener('visibilitychange', listen)
  return () => void look()
}

const currentPage = () => document.querySelector<HTMLElement>('[data-page]')

function takeClock(): void {
  const { now, rate } = currentPage()?.dataset ?? {}
  if (now && rate) setClock(Number(now), Number(rate))
}

function connected(isConnected: boolean): void {
  const notice = document.querySelector<HTMLElement>('[data-connection]')
  if (notice) notice.hidden = isConnected
}

/** Replaces the page by its new state, and announces that to screen readers. */
function exchange(text: string, enhance: (part: ParentNode) => void): boolean {
  const before = currentPage()
  const next = new DOMParser().parseFromString(text, 'text/html')
  const after = next.querySelector<HTMLElement>('[data-page]')
  if (!before || !after) return false
  const putBack = keepFields(before)
  const fresh = document.adoptNode(after)
  putBack(fresh)
  before.replaceWith(fresh)
  document.title = next.title
  enhance(fresh)
  // Screen readers announce an alert anyway.
  const state = fresh.querySelector('main h2') ?? fresh.querySelector('h1')
  announce(fresh.querySelector('[role=alert]') ? '' : (state?.textContent ?? ''))
  return true
}

/** Keeps the payer's input and focus while the page is replaced by a newer one. */

interface Kept {
  readonly value: string
  readonly files: FileList | null
  /** The text in the bank search. */
  readonly typed: string | undefined
  /** The server's message about a submitted form, which a reloaded page does not repeat. */
  readonly problem: { readonly id: string; readonly text: string } | undefined
}

type Field = HTMLInputElement | HTMLSelectElement

/** Values by form and name. A field that is missing in one state may come back in the next. */
const kept = new Map<string, Kept>()
const unfolded = new Set<string>()

/** Saves the state of the page. The returned function restores it in the new page. */
function keepFields(before: HTMLElement): (after: HTMLElement) => void {
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
    // Set the focus last, because scripts may still change the fields.
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
    // The change event shows the file's name and preview, and checks it.
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

/** Everything that can have the focus, by its kind and, among several, by its position. */
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

/** Announces the result to screen readers. */
export function announce(text: string): void {
  const announcer = document.querySelector('[data-announcer]')
  if (announcer) announcer.textContent = text
}
