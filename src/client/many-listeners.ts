import { setMaxListeners } from 'node:events'

/** Many parallel calls may wait for one signal, but Node 20 reports more than ten listeners as a leak. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (signal) setMaxListeners(0, signal)
}
