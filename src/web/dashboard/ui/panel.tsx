import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface PanelProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly aside?: ComponentChildren
  /** Whether the content extends to the edges. */
  readonly flush?: boolean
}

/** A section of a page with its own heading. */
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

/** A list of names and values. */
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
