import type { ComponentChildren } from 'preact'
import { place } from '../state/router.ts'

/** Filters that are rarely needed. */
export function MoreFilters({ names, children }: { names: readonly string[]; children: ComponentChildren }) {
  const used = names.filter(name => place.value.query.has(name)).length
  return (
    <details class="more-filters">
      <summary class="button plain">More{used > 0 ? ` (${used})` : ''}</summary>
      <div class="popover">{children}</div>
    </details>
  )
}
