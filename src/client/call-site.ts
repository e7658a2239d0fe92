import { fileURLToPath } from 'node:url'

/** Where this package's own code is: stack traces name it by its address, and by its path where a runner rewrote them. */
const ADDRESS = import.meta.url.replace(/\/(dist|src)\/.*$/, '/$1/')
const PATH = fileURLToPath(ADDRESS)
const isOwn = (frame: string) => frame.includes(ADDRESS) || frame.includes(PATH)

/**
 * Where a call was made, for whatever it throws later. An error made after an answer came has only our own lines in its
 * stack, and a test runner shows the first line that it knows: that should be the test's.
 */
export function callSite(): string {
  const held: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  // Our own lines come first, and take up room.
  Error.stackTraceLimit = limit + 10
  Error.captureStackTrace(held, callSite)
  Error.stackTraceLimit = limit
  const frames = (held.stack ?? '').split('\n').slice(1)
  const first = frames.findIndex(frame => !isOwn(frame))
  return first < 0 ? '' : frames.slice(first).join('\n')
}

/** The same error, with the lines of its call. */
function pointTo(site: string, error: unknown): unknown {
  if (error instanceof Error && site !== '') error.stack = `${error.name}: ${error.message}\n${site}`
  return error
}

/** A promise that rejects with errors that point to its call. */
export function pointing<T>(site: string, promise: Promise<T>): Promise<T> {
  return promise.catch(error => {
    throw pointTo(site, error)
  })
}
