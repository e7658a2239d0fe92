import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useLayoutEffect, useRef } from 'preact/hooks'
import { messageOf } from '../state/api.ts'
import { addressOf, goUp, hasMoved, leave, place } from '../state/router.ts'
import type { Loaded } from '../state/use-live.ts'
import { Button, LinkButton } from './button.tsx'
import { Icon } from './icon.tsx'

interface PageProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
  readonly lead?: ComponentChildren
  /** A link to the parent page. */
  readonly back?: { readonly href: string; readonly label: string }
  /** Whether it fills the window, with content that scrolls. */
  readonly fills?: boolean
}

export function Page({ title, children, actions, lead, back, fills }: PageProps) {
  useEffect(() => {
    document.title = `${title} · paysim`
  }, [title])
  // What was clicked is gone with its page: the keyboard goes on here, and a screen reader says where that is.
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (hasMoved && document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
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
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Dialogs and fields use this key themselves. */
const isTaken = ({ target }: KeyboardEvent) =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element && target.closest('input, select, textarea, details') !== null)

/** A normal link, but the list keeps its previous position. */
function followUp(event: MouseEvent, address: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  goUp(address)
}

/** Shows the loaded data; before that, a loading message or the error. */
export function Ready<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== undefined) return <ErrorNote error={of.error} />
  return <p class="loading">Loading…</p>
}

/** The page of a record that is still loading, or cannot be loaded. */
export const NotLoaded = ({ of, ...page }: Pick<PageProps, 'title' | 'back'> & { of: Loaded<unknown> }) => (
  <Page {...page}>
    <Ready of={of}>{() => null}</Ready>
  </Page>
)

export function ErrorNote({ error }: { error: unknown }) {
  return (
    <p class="page-problem" role="alert">
      {messageOf(error)}
    </p>
  )
}

/** If a component throws, shows the error in its place. Another URL tries again. */
export function Boundary({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary(thrown => console.error(thrown))
  const here = place.value
  useLayoutEffect(() => {
    if (error !== undefined) reset()
  }, [here])
  return error === undefined ? <>{children}</> : <Broken error={error} onTryAgain={reset} />
}

function Broken({ error, onTryAgain }: { error: unknown; onTryAgain: () => void }) {
  const { account } = place.value
  return (
    <div class="empty" role="alert">
      <h1>This page could not be displayed</h1>
      <p>The server sent data that this page does not expect. The other pages still work.</p>
      <p>
        <code>{messageOf(error)}</code>
      </p>
      <div class="row-wrap centred">
        <Button tone="primary" onPress={onTryAgain}>
          Try again
        </Button>
        {account !== null && (
          <LinkButton href={addressOf(account, 'overview')}>Go to the overview</LinkButton>
        )}
      </div>
    </div>
  )
}
