import type { FieldProblem } from '../../contract/errors.ts'
import type { WebhookHosts } from '../../engine/webhook-hosts.ts'

/** What is wrong with an endpoint's URL can be said at once; each attempt checks again where it really connects to. */
export function webhookUrlProblems(field: string, text: string, hosts: WebhookHosts): FieldProblem[] {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return [{ field, message: 'must be an absolute http or https URL' }]
  const url = new URL(text)
  if (url.username || url.password) return [{ field, message: 'must not carry credentials' }]
  const message = hosts.problem(url)
  return message === undefined ? [] : [{ field, message }]
}
