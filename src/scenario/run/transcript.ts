import { createHash } from 'node:crypto'
import type { Stage } from './stage.ts'
import type { StepRecord } from './step-result.ts'

/**
 * Writes everything that happened as lines of JSON: calls and answers, the account's journal, webhooks. The same file,
 * seed and version of paysim give the same bytes. It leaves out what depends on the machine: ports, the wall time in
 * webhook signatures and clock settings, and request ids.
 */
export async function transcriptOf(records: readonly StepRecord[], stage: Stage): Promise<string> {
  const lines: object[] = [{ scenario: stage.scenario.data.name, run: stage.run, account: accountOf(stage) }]
  for (const { verb, title, sinceStartMs, sent, answer } of records) {
    const { method, url, body } = sent ?? {}
    lines.push({
      step: verb,
      title,
      since_start_ms: stage.virtual ? sinceStartMs : null,
      ...(sent ? { request: `${method} ${url}`, sent: sentBody(body) } : {}),
      ...(answer
        ? { status: answer.status, headers: shownHeaders(answer.headers), answer: answer.text }
        : {}),
    })
  }
  if (stage.account) lines.push(...(await journalOf(stage)), ...webhooksOf(stage))
  return `${lines.map(line => withoutMachineDetails(JSON.stringify(line), stage)).join('\n')}\n`
}

function accountOf({ account }: Stage) {
  return account && { id: account.id, public_key: account.keys[account.environment].publicKey }
}

/** Shows an upload by its digest, because a form is long and not readable. */
function sentBody(body: string | Buffer | undefined) {
  if (!Buffer.isBuffer(body)) return body
  return { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
}

const SHOWN = ['content-type', 'idempotent-replayed', 'location', 'retry-after', 'www-authenticate', 'allow']
const shownHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(SHOWN.filter(name => headers[name] !== undefined).map(name => [name, headers[name]]))

async function journalOf(stage: Stage): Promise<object[]> {
  await stage.settle()
  const { entries } = await stage.simulated.control.export()
  return entries.map(entry => ({ journal: entry }))
}

/** Sorts webhooks by content, because parallel ones arrive in any order. */
function webhooksOf({ simulated: { inbox } }: Stage): object[] {
  return inbox.received
    .map(webhook => ({
      webhook: inbox.texts.get(webhook),
      attempt: webhook.attempt,
      answered: webhook.answered,
    }))
    .sort((a, b) => (a.webhook ?? '').localeCompare(b.webhook ?? '', 'en') || a.attempt - b.attempt)
}

function withoutMachineDetails(line: string, { target }: Stage): string {
  const receiver = target.kind === 'simulator' ? target.receiver.url : target.baseUrl
  return line
    .replaceAll(target.baseUrl, 'http://paysim')
    .replaceAll(receiver, 'http://receiver')
    .replace(/req_[0-9A-Za-z]{24}/g, 'req_')
    .replace(/"timestamp":\d+/g, '"timestamp":0')
    .replace(/(webhook-timestamp\\*":\\*")\d+/g, '$10')
    .replace(/v1,[A-Za-z0-9+/]{43}=/g, 'v1,')
}
