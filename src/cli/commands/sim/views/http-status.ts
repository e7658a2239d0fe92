import type { ChalkInstance } from 'chalk'

export function paintHttpStatus(status: number, paint: ChalkInstance, shown = String(status)): string {
  if (status >= 500) return paint.red.bold(shown)
  if (status >= 400) return paint.red(shown)
  return status >= 300 ? paint.yellow(shown) : paint.green(shown)
}
