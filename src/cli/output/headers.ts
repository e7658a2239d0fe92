import type { Answer } from '../../client/answer-type.ts'
import { redactHeaders } from '../../client/credentials.ts'
import { visible } from './visible.ts'

/** Status and headers of an answer, on stderr: stdout is for its body. */
export function showHeaders({ status, headers }: Answer<unknown>): void {
  const lines = Object.entries(redactHeaders(headers)).map(([name, value]) => `${name}: ${value}`)
  process.stderr.write(`${[`HTTP ${status}`, ...lines].map(visible).join('\n')}\n\n`)
}
