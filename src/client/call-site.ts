import { fileURLToPath } from 'node:url'

/** The location of this package: stack traces have its URL, or its path if a test runner rewrote them. */
const ADDRESS = import.meta.url.replace(/\/(dist|src)\/.*$/, '/$1/')
const PATH = fileURLToPath(ADDRESS)
const isOwn = (frame: string) => frame.includes(ADDRESS) || frame.includes(PATH)

/** Writes out where a call was made. */
type CallSite = () => string

/**
 * Where a call was made, for the stack of later errors. An error after an answer has only our own frames, but a test
 * runner should show the line of the test.
 */
export function callSite(): CallSite {
  const held: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  // Our own frames come first and use up the limit.
  Error.stackTraceLimit = limit + 10
  Error.captureStackTrace(held, callSite)
  Error.stackTraceLimit = limit
  return () => {
    // The frames are written out only now: most calls succeed, and to write them out takes longer than to keep them.
    const frames = (held.stack ?? '').split('\n').slice(1)
    const first = frames.findIndex(frame => !isOwn(frame))
    return first < 0 ? '' : frames.slice(first).join('\n')
  }
}

/** The same error with the stack of the call. */
function addCallSite(site: string, error: unknown): unknown {
  if (error instanceof Error && site !== '') error.stack = `${error.name}: ${error.message}\n${site}`
  return error
}

/** A promise whose errors have the stack of the call. */
export function withCallSite<T>(site: CallSite, promise: Promise<T>): Promise<T> {
  return promise.catch(error => {
    throw addCallSite(site(), error)
  })
}
