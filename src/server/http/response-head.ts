import { STATUS_CODES } from 'node:http'
import type { WholeAnswer } from './carrier.ts'

const PLAIN = /^[\t\x20-\x7e]*$/

/** The same head as Node would write; undefined if it is not made of plain ASCII, which Node then encodes or refuses. */
export function responseHead({ status, headers }: WholeAnswer, keepAlive: string): string | undefined {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  let isKept = true
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at], headers[at + 1]]
    if (typeof value !== 'number' && (typeof value !== 'string' || !PLAIN.test(value))) return undefined
    if (name === 'connection') isKept = false
    head += `${name}: ${value}\r\n`
  }
  return `${head}Date: ${dateNow()}\r\n${isKept ? keepAlive : ''}\r\n`
}

let lastSecond = 0
let lastDate = ''

export function dateNow(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    lastDate = new Date(now).toUTCString()
  }
  return lastDate
}
