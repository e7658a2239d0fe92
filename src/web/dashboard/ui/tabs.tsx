import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface TabsProps {
  readonly label: string
  readonly tabs: readonly (readonly [id: string, title: string])[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly children: ComponentChildren
}

/** One of several views at a time; the arrow keys go from one to the next. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const id = useId()
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    const at = tabs.findIndex(([tab]) => tab === chosen)
    const [next] = tabs[(at + by + tabs.length) % tabs.length] ?? []
    if (next === undefined) return
    onChoose(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map(([tab, title]) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-${tab}`}
            aria-selected={tab === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => onChoose(tab)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  )
}
