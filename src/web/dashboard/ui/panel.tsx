import { type ComponentChildren, Fragment, type HTMLAttributes } from 'preact'
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

/** Shown instead of an empty list: what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

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

export interface Column<R> {
  readonly title: string
  readonly cell: (row: R) => ComponentChildren
  readonly align?: 'end'
  /** The accessible name. */
  readonly hiddenTitle?: boolean
}

interface TableProps<R> {
  readonly caption: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string
  /** What a row opens to, below it and as wide as the table. */
  readonly below?: (row: R) => ComponentChildren
  readonly rowProps?: (
    row: R,
  ) => Pick<HTMLAttributes<HTMLTableRowElement>, 'class' | 'onMouseEnter' | 'onMouseLeave'>
}

/** A table that is short enough to show completely. */
export function Table<R>({ caption, columns, rows, keyOf, below, rowProps }: TableProps<R>) {
  return (
    <Scrollable kind="table" label={`${caption}, as a table`}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align, hiddenTitle }) => (
              <th key={title} scope="col" class={align}>
                {hiddenTitle ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => {
            const opened = below?.(row)
            return (
              <Fragment key={keyOf(row)}>
                <tr {...rowProps?.(row)}>
                  {columns.map(({ title, cell, align, hiddenTitle }) => (
                    <td key={title} class={align} data-title={hiddenTitle ? '' : title}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {opened && (
                  <tr class="below">
                    <td colSpan={columns.length} data-title="">
                      {opened}
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </Scrollable>
  )
}
