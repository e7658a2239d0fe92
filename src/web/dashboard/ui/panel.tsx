import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface PanelProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly aside?: ComponentChildren
  /** Its content goes to the edges. */
  readonly flush?: boolean
}

/** A part of a page with a heading of its own. */
export function Panel({ title, children, aside, flush }: PanelProps) {
  const id = useId()
  return (
    <section class={`panel${flush ? ' flush' : ''}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  )
}

/** Names and values, one below the other. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  const shown = facts.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
  )
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
