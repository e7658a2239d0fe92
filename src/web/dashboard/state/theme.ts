import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const KEPT_AS = 'paysim-theme'

const isTheme = (text: string | null): text is Theme =>
  text === 'light' || text === 'dark' || text === 'system'

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS)
  return isTheme(kept) ? kept : 'system'
}

export const theme = signal<Theme>(keptTheme())

export function applyTheme(): void {
  effect(() => {
    localStorage.setItem(KEPT_AS, theme.value)
    if (theme.value === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme.value
  })
}
