import { signal } from '@preact/signals'
import { Button } from './button.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
  readonly undo?: (() => unknown) | undefined
}

const SHOWN_MS = 5000

const toasts = signal<readonly Toast[]>([])
let made = 0

/** Says what became of something, and offers to take it back. */
export function toast(text: string, tone: Toast['tone'] = 'good', undo?: () => unknown): void {
  const id = ++made
  toasts.value = [...toasts.value.slice(-3), { id, text, tone, undo }]
  window.setTimeout(() => dismiss(id), undo || tone === 'bad' ? 2 * SHOWN_MS : SHOWN_MS)
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter(shown => shown.id !== id)
}

/** In the page from the start, so that what comes up in it is read out. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {undo && (
            <Button
              icon="undo"
              onPress={async () => {
                dismiss(id)
                await undo()
              }}
            >
              Undo
            </Button>
          )}
          <Button tone="ghost" icon="close" label="Dismiss" onPress={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
