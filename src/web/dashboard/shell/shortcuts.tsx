import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { LIST_PAGES, MENU } from '../pages/page-names.ts'
import { addressOf, go } from '../state/router.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/field.tsx'
import { paletteIsOpen } from './palette.tsx'

const KEPT_AS = 'paysim-single-keys'

/** Keys without Ctrl can be switched off, for people who speak or whose hands slip. */
const singleKeys = signal(localStorage.getItem(KEPT_AS) !== 'off')

/** How long after `g` the key of a page is awaited. */
const NEXT_KEY_MS = 1500

/** The keys that work on every page, and the list of them. */
export function Shortcuts({ account }: { account: string }) {
  const [isListed, setListed] = useState(false)
  const goesAt = useRef(Number.NEGATIVE_INFINITY)
  // As soon as the page is drawn.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
      const key = event.key.toLowerCase()
      if (key === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault()
        paletteIsOpen.value = true
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !singleKeys.value || isTyping(event)) return
      const page = LIST_PAGES.find(name => MENU[name].key === key)
      const goes = performance.now() - goesAt.current < NEXT_KEY_MS
      goesAt.current = Number.NEGATIVE_INFINITY
      if (goes && page) go(addressOf(account, page))
      else if (key === 'g') goesAt.current = performance.now()
      else if (key === '/') paletteIsOpen.value = true
      else if (key === '?') setListed(true)
      else if (key === 'j' || key === 'k') stepThroughRows(key === 'j' ? 1 : -1)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [account])
  return isListed ? <ShortcutList onClose={() => setListed(false)} /> : null
}

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null

/** A long list moves by itself, because most of its rows are not drawn; the rows of others are those with a link. */
function stepThroughRows(by: 1 | -1): void {
  const list = document.querySelector<HTMLElement>('#content .scroller')
  if (list) {
    if (!list.contains(document.activeElement)) list.focus({ preventScroll: true })
    const key = by === 1 ? 'ArrowDown' : 'ArrowUp'
    list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    return
  }
  const rows = [...document.querySelectorAll('#content :is(tbody tr, .feed li, .coming li)')].flatMap(row => {
    const link = row.querySelector('a')
    return link ? [{ row, link }] : []
  })
  const now = rows.findIndex(({ row }) => row.contains(document.activeElement))
  rows[now === -1 ? (by === 1 ? 0 : rows.length - 1) : now + by]?.link.focus()
}

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl', 'K'], 'Find records, pages and actions'],
  [['/'], 'The same'],
  [['j'], 'The next row'],
  [['k'], 'The row before'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Back to the list'],
  [['?'], 'This list'],
]

const ShortcutList = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <div class="body">
      <dl class="keys">
        {[...KEYS, ...LIST_PAGES.map(name => [['g', MENU[name].key], MENU[name].title] as const)].map(
          ([keys, does]) => (
            <div key={does + keys}>
              <dt>
                {keys.map(key => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ),
        )}
      </dl>
      <div class="row-wrap">
        <Switch
          label="Keys without Ctrl"
          on={singleKeys.value}
          onChange={on => {
            singleKeys.value = on
            localStorage.setItem(KEPT_AS, on ? 'on' : 'off')
          }}
        />
        <span aria-hidden="true">Keys without Ctrl</span>
      </div>
    </div>
  </Dialog>
)
