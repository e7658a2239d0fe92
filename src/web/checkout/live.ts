import { setClock } from './clock.ts'
import { announce } from './copy.ts'
import { keepFields } from './kept-fields.ts'

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
