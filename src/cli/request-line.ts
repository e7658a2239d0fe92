import type { RequestRecord } from '../contract/control/journal.ts'
import type { Screen } from './output/screen.ts'
import { paintHttpStatus, visible } from './output/text.ts'

/** The JSON is concatenated by hand, which takes a third of the time of `JSON.stringify`, for every request. */
export function requestLine(record: RequestRecord): string {
  const { at, account, method, path, status, ms, request_id, ignored } = record
  if (ignored.length > 0 || !NEEDS_NO_ESCAPE.test(path))
    return JSON.stringify({ event: 'request', ...record })
  const who = account === null ? 'null' : `"${account}"`
  return `{"event":"request","at":"${at}","account":${who},"method":"${method}","path":"${path}","status":${status},"ms":${ms},"request_id":"${request_id}","ignored":[]}`
}

const NEEDS_NO_ESCAPE = /^[\w/.?=&%~-]*$/

/** A request in the words of `serve` and `sim stream`. `why`: why it was refused, or not answered as it should be. */
export function requestWords(
  { method, path, status, ms, ignored }: RequestRecord,
  { paint }: Screen,
  why = '',
): string {
  return [
    `${visible(method)} ${visible(path)}`,
    `${paintHttpStatus(status, paint)}${why === '' ? '' : ` ${visible(why)}`}`,
    paint.dim(`${Math.round(ms)} ms`),
    ...(ignored.length === 0 ? [] : [paint.yellow(`ignored: ${visible(ignored.join(', '))}`)]),
  ].join('  ')
}
