import type { ApplicationReport } from '../scenario/index.ts'
import { withoutNames } from './attempt.ts'

type Calls = ApplicationReport['calls']
type Deliveries = ApplicationReport['deliveries']

/** What happened between the gateway and the application, one line each, in the order of their starts. */
export function narrativeOf({
  calls,
  deliveries,
  restarts,
}: Pick<ApplicationReport, 'calls' | 'deliveries' | 'restarts'>): string[] {
  const lines = [
    ...calls.map(call => ({ at: call.startedAt, line: callLine(call) })),
    ...deliveries.map(delivery => ({ at: delivery.startedAt, line: deliveryLine(delivery) })),
    ...restarts.map(({ startedAt }) => ({ at: startedAt, line: 'it was killed and started again' })),
  ].sort((a, b) => a.at - b.at)
  return shortened(collapsed(lines.map(({ line }) => line)))
}

function callLine({ operation, status = 0, disturbed }: Calls[number]): string {
  const answer = status === 0 ? 'got no answer' : `got ${status}`
  return `it called ${operation} and ${answer}${disturbed === undefined ? '' : ` (${disturbed})`}`
}

const SENT: Readonly<Record<Deliveries[number]['sent'], string>> = {
  event: '',
  again: ' again',
  'unknown type': ', of an unknown type',
  'webhook-forged': ', forged',
  'webhook-unsigned': ', without a signature',
  'webhook-stale': ', with a signature that is a week old',
}

function deliveryLine({ type, sent, status, answer, isEarly }: Deliveries[number]): string {
  const reply = status === 0 ? `did not answer: ${withoutNames(answer, '')}` : `answered ${status}`
  return `it was sent ${type}${SENT[sent]}${isEarly ? ', before its call was answered' : ''}, and ${reply}`
}

/** Polling, and retries in vain, repeat the same line: keep one. */
function collapsed(lines: readonly string[]): string[] {
  const result: string[] = []
  for (let from = 0; from < lines.length; ) {
    const line = lines[from] ?? ''
    const behind = lines.findIndex((other, at) => at > from && other !== line)
    const times = (behind < 0 ? lines.length : behind) - from
    const isPolling = line.startsWith('it called GET')
    if (isPolling || times >= MANY_TIMES) result.push(isPolling ? line : `${line} (${times} times)`)
    else result.push(...Array.from({ length: times }, () => line))
    from += times
  }
  return result
}

/** Fewer are often about different orders, each of which counts. */
const MANY_TIMES = 4
const MOST_LINES = 24
const shortened = (lines: readonly string[]) =>
  lines.length <= MOST_LINES
    ? [...lines]
    : [...lines.slice(0, MOST_LINES / 2), '…', ...lines.slice(-MOST_LINES / 2)]
