import type { FieldProblem } from '../../contract/errors.ts'
import type { WebhookHosts } from '../../engine/webhook-hosts.ts'

/** Checks an endpoint's URL early, for a clear error. Each attempt checks again which address it connects to. */
export function webhookUrlProblems(field: string, text: string, hosts: WebhookHosts): FieldProblem[] {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return [{ field, message: 'must be an absolute http or https URL' }]
  const url = new URL(text)
  if (url.username || url.password) return [{ field, message: 'must not carry credentials' }]
  const message = hosts.problem(url)
  return message === undefined ? [] : [{ field, message }]
}
