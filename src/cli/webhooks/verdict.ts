import { checkWebhook, STALE_AFTER_MS } from '../../library/webhook-checks.ts'
import { drawRecord } from '../output/record.ts'
import type { View } from '../output/view.ts'

/** What became of a webhook that was held against a secret. */
export interface Verdict {
  readonly valid: boolean
  readonly id: string | null
  readonly checks: readonly { readonly check: string; readonly problem: string | null }[]
}

interface Evidence {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly secret: string
  readonly now: number
  readonly toleranceMs: number | undefined
}

export function judge({ toleranceMs = STALE_AFTER_MS, ...evidence }: Evidence): Verdict {
  const checks = checkWebhook({ ...evidence, toleranceMs }).map(({ check, problem }) => ({
    check,
    problem: check === 'signature' && problem !== null ? `${problem}${lineEndHint(evidence)}` : problem,
  }))
  return {
    valid: checks.every(({ problem }) => problem === null),
    id: evidence.headers['webhook-id'] ?? null,
    checks,
  }
}

/** The most common reason: what kept the body ended its last line. */
function lineEndHint({ body, ...evidence }: Omit<Evidence, 'toleranceMs'>): string {
  const bare = body.replace(/\r?\n$/, '')
  if (bare === body) return ''
  const without = checkWebhook({ ...evidence, body: bare, toleranceMs: Number.POSITIVE_INFINITY })
  const holds = without.some(({ check, problem }) => check === 'signature' && problem === null)
  return holds ? '; without the line break at its end it would: the file has one that was not sent' : ''
}

const MEANINGS: Readonly<Record<string, string>> = {
  headers: 'it has what a signed webhook has',
  signature: 'the body is what was signed with this secret',
  timestamp: 'it is no older than it may be',
  event: 'the header and the body name one event',
}

export const verdictView: View<Verdict> = {
  human({ valid, id, checks }, screen) {
    const { paint } = screen
    const title = valid ? paint.green('valid') : paint.red('not valid')
    const fields = checks.map(({ check, problem }) => ({
      label: check,
      value: problem ?? MEANINGS[check] ?? 'holds',
      paint: problem === null ? paint.green : paint.red,
    }))
    return `${[title, ...(id === null ? [] : [id])].join('  ')}\n${drawRecord(fields, screen)}`
  },
}
