import { allowManyListeners } from './many-listeners.ts'

/** Waits, and rejects at once when the signal aborts. Tests replace it. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    allowManyListeners(signal)
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', aborted, { once: true })
  })
