import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import type { Scope } from '../run/scope.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import { type Mismatch, match } from './match.ts'

/** Without an expectation a call must succeed, so a scenario does not continue after an unexpected refusal. */
export function matchAnswer(
  answer: ReceivedAnswer,
  expected: AnswerExpectation | undefined,
  scope: Scope,
  succeeds: (status: number) => boolean = status => status >= 200 && status < 300,
): Mismatch[] {
  const miss = (key: string, wanted: unknown, actual: unknown, why?: string): Mismatch => ({
    path: expected ? ['expect', key] : [],
    subject: key,
    expected: wanted,
    actual,
    ...(why ? { why } : {}),
  })
  if (answer.lost !== undefined)
    return expected?.lost
      ? []
      : [miss('status', expected?.status ?? 'an answer', answer.lost, 'no complete answer arrived')]
  if (expected?.lost) return [miss('lost', 'no answer', answer.status, 'an answer arrived')]
  const found: Mismatch[] = []
  const add = (key: string, wanted: unknown, actual: unknown) =>
    found.push(...match(wanted, actual, key, ['expect', key]))
  const error = problemIn(answer)
  if (expected?.status !== undefined) add('status', expected.status, answer.status)
  else if (expected?.error === undefined && !succeeds(answer.status))
    found.push(miss('status', 'success', answer.status, error.code ? `refused: ${error.code}` : undefined))
  if (expected?.error !== undefined) add('error', expected.error, error.code ?? answer.status)
  for (const field of expected?.fields ?? [])
    if (!error.fields.includes(field))
      found.push(miss('fields', field, error.fields, 'is not among the fields of the error'))
  if (expected?.headers !== undefined)
    for (const [name, wanted] of Object.entries(expected.headers))
      found.push(
        ...match({ [name.toLowerCase()]: wanted }, answer.headers, 'headers', ['expect', 'headers']).map(
          it => ({
            ...it,
            path: ['expect', 'headers', name],
          }),
        ),
      )
  if (expected?.body !== undefined) add('body', expected.body, answer.body)
  if (expected?.text !== undefined) add('text', expected.text, answer.text)
  const same = expected?.['same as']
  if (same !== undefined && scope.answer(same)?.text !== answer.text)
    found.push(miss('same as', scope.answer(same)?.text, answer.text, `differs from the answer of ${same}`))
  return found
}

/** The code and the fields of an error, in each of the shapes that the gateway can give it. */
function problemIn({ status, body }: ReceivedAnswer): { code: string | undefined; fields: string[] } {
  if (status < 400 || typeof body !== 'object' || body === null) return { code: undefined, fields: [] }
  const facts = (
    'error' in body && typeof body.error === 'object' && body.error !== null ? body.error : body
  ) as {
    code?: string
    details?: { field: string }[]
  }
  return { code: facts.code, fields: (facts.details ?? []).map(({ field }) => field) }
}
