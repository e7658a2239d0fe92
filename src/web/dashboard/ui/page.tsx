import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { messageOf } from '../state/api.ts'
import { goUp, leave } from '../state/router.ts'
import type { Loaded } from '../state/use-live.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
  readonly lead?: ComponentChildren
  /** The way up, on a page below another one. */
  readonly back?: { readonly href: string; readonly label: string }
  /** It fills the window, and what is in it scrolls. */
  readonly fills?: boolean
}

export function Page({ title, children, actions, lead, back, fills }: PageProps) {
  useEffect(() => {
    document.title = `${title} · paysim`
  }, [title])
  const up = back?.href
  useEffect(() => {
    if (up === undefined) return
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isTaken(event)) leave(up)
    }
    document.addEventListener('keydown', onEscape)
    return () => document.removeEventListener('keydown', onEscape)
  }, [up])
  return (
    <div class={`page${fills ? ' fills' : ''}`}>
      <header class="page-header">
        <div>
          {back && (
            <a class="back" href={back.href} onClick={event => followUp(event, back.href)}>
              <Icon name="back" />
              {back.label}
            </a>
          )}
          <h1>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A dialog or a field has a use of its own for the key. */
const isTaken = ({ target }: KeyboardEvent) =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element && target.closest('input, select, textarea, details') !== null)

/** As any link, but the list that it leads to is found as it was left. */
function followUp(event: MouseEvent, address: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  goUp(address)
}

/** What was read, once it was; until then that it is coming, or why it is not. */
export function Ready<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== undefined) return <ErrorNote error={of.error} />
  return <p class="loading">Loading…</p>
}

export function ErrorNote({ error }: { error: unknown }) {
  return (
    <p class="page-problem" role="alert">
      {messageOf(error)}
    </p>
  )
}
