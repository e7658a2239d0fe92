import { UnexpectedAnswerError } from '../../client/errors.ts'
import type { Answer } from '../../client/transport/transport.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { MadeOtherwiseError } from '../errors/cli-errors.ts'
import { visible } from '../output/text.ts'

/** What was sent, by the names that the answer uses too. Only texts are compared; a list allows each of its texts. */
type Sent = Readonly<Record<string, unknown>>

interface Comparison {
  /** Whether to compare all that was sent. */
  readonly strict?: true | undefined
}

/** What money depends on is compared with every answer. The rest only with --strict, since a server may decide it. */
const ALWAYS: ReadonlySet<string> = new Set(['amount', 'currency', 'country', 'merchant_reference'])

/** Some servers accept these in lower case, and answer with capitals. */
const CODES: ReadonlySet<string> = new Set(['currency', 'country'])

/** Where an answer differs from the request. A member that is not in the answer is no difference. */
export function differences(sent: Sent, answered: object, { strict }: Comparison): FieldProblem[] {
  return Object.entries(sent)
    .filter(([name]) => strict || ALWAYS.has(name))
    .flatMap(([name, wanted]) => {
      const got: unknown = Object.hasOwn(answered, name) ? Reflect.get(answered, name) : undefined
      const allowed = (Array.isArray(wanted) ? wanted : [wanted]).filter(isScalar)
      if (got === undefined || allowed.length === 0) return []
      const same = isScalar(got) && allowed.some(value => spelled(name, value) === spelled(name, got))
      return same
        ? []
        : [{ field: name, message: `is ${JSON.stringify(got)}, but ${allowed.join(' or ')} was sent` }]
    })
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

const spelled = (name: string, value: string | number) =>
  CODES.has(name) ? String(value).toUpperCase() : String(value)

/** Refuses an answer to a read that is about something else than what was asked for. */
export function refuseOtherAnswer(
  found: readonly FieldProblem[],
  answer: Answer<unknown>,
  call: string,
): void {
  if (found.length === 0) return
  throw new UnexpectedAnswerError(
    `${call} was answered with ${answer.status}, but not about what was asked for:${listOf(found)}\nCheck the base URL (--base-url): a proxy or a cache may have mixed up the answers.`,
    answer,
    '',
    found,
  )
}

/** Reports a record that was made, and has been printed, but is not as requested. */
export function reportMadeOtherwise(id: string, found: readonly FieldProblem[]): void {
  if (found.length === 0) return
  throw new MadeOtherwiseError(
    `${visible(id)} is not as requested:${listOf(found)}\nit was made; do not send it again`,
  )
}

const listOf = (found: readonly FieldProblem[]) =>
  found.map(({ field, message }) => `\n  ${visible(`${field} ${message}`)}`).join('')
