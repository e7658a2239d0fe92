import { signal } from '@preact/signals'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
  readonly undo?: (() => unknown) | undefined
}

const SHOWN_MS = 5000

export const toasts = signal<readonly Toast[]>([])
let made = 0

/** Shows the result of an action, and offers to undo it. */
export function toast(text: string, tone: Toast['tone'] = 'good', undo?: () => unknown): void {
  const id = ++made
  toasts.value = [...toasts.value.slice(-3), { id, text, tone, undo }]
  window.setTimeout(() => dismiss(id), undo || tone === 'bad' ? 2 * SHOWN_MS : SHOWN_MS)
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter(shown => shown.id !== id)
}
