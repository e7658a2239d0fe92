import { signal } from '@preact/signals'

/** The current place: `/_paysim/dashboard/<account>/<page>/<id>?<filters>`. The URL holds all of it. */
interface PageAddress {
  readonly account: string | null
  readonly page: string
  readonly id: string | null
  readonly query: URLSearchParams
}

const ROOT = '/_paysim/dashboard/'

export const place = signal<PageAddress>(readAddress())

function readAddress(): PageAddress {
  const { pathname, search } = window.location
  const [account = '', page = '', id = ''] = pathname.slice(ROOT.length).split('/').map(decodeURIComponent)
  return {
    account: account || null,
    page: page || 'overview',
    id: id || null,
    query: new URLSearchParams(search),
  }
}

type Query = Readonly<Record<string, string | null | undefined>>

/** A URL of the dashboard, without empty parameters. */
export function addressOf(account: string, page: string, id?: string | null, query: Query = {}): string {
  const path = [account, page, ...(id ? [id] : [])].map(encodeURIComponent).join('/')
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1])
  const search = new URLSearchParams(given).toString()
  return ROOT + path + (search ? `?${search}` : '')
}

/** Each entry of the browser's history holds the place that it was opened from, and data of its page. */
interface EntryState {
  readonly from?: string
  readonly [name: string]: unknown
}

const entryState = () => (history.state ?? {}) as EntryState

/** Stores data for a later return to the current place. */
export const keep = (name: string, value: unknown): void =>
  history.replaceState({ ...entryState(), [name]: value }, '')
export const kept = (name: string): unknown => entryState()[name]

/** Goes up one level: to the list in its previous position, if this page was opened from there. */
export function goUp(address: string): void {
  if (entryState().from?.split('?')[0] === address.split('?')[0]) history.back()
  else go(address)
}

/** Leaves this page: to where it was opened from, otherwise up one level. */
export function leave(address: string): void {
  if (entryState().from === undefined) go(address)
  else history.back()
}

/** Whether the user has moved to another place since the dashboard was loaded. */
export let hasMoved = false

export function go(address: string, { replace = false } = {}): void {
  const { from } = entryState()
  const here = window.location.pathname + window.location.search
  if (replace) history.replaceState(from === undefined ? null : { from }, '', address)
  else history.pushState({ from: here }, '', address)
  hasMoved ||= !replace
  place.value = readAddress()
  if (!replace) window.scrollTo(0, 0)
}

/** Sets some filters and keeps the others. Typing into a filter should not add entries to the history. */
export function setQuery(changes: Query, { replace = true } = {}): void {
  const { account, page, id, query } = place.value
  if (account) go(addressOf(account, page, id, { ...Object.fromEntries(query), ...changes }), { replace })
}

/** Handles clicks on plain links that stay within the dashboard, without loading a new page. */
export function followLinks(): void {
  window.addEventListener('popstate', () => {
    hasMoved = true
    place.value = readAddress()
  })
  document.addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || link.target || link.hasAttribute('download') || link.origin !== window.location.origin)
      return
    if (!link.pathname.startsWith(ROOT)) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}
