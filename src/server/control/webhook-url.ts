import { isIP } from 'node:net'
import type { FieldProblem } from '../../contract/errors.ts'

/** Webhooks go to this machine, unless the person who started the server named another host. */
export function webhookUrlProblems(field: string, text: string, allowed: readonly string[]): FieldProblem[] {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return [{ field, message: 'must be an absolute http or https URL' }]
  const url = new URL(text)
  if (url.username || url.password) return [{ field, message: 'must not carry credentials' }]
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host) || allowed.includes(host) || allowed.includes(url.host)) return []
  return [
    { field, message: `points to ${host}, which is not this machine; start with --allow-webhooks ${host}` },
  ]
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}
