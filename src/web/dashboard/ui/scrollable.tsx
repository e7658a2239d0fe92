import type { ComponentChildren } from 'preact'

interface ScrollableProps {
  readonly label: string
  readonly kind: 'text' | 'table'
  readonly children: ComponentChildren
}

/** For content that may be too wide. It takes the focus, so that the keyboard can scroll it. */
export function Scrollable({ label, kind, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class={`scrollable ${kind}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
