import { ControlError } from '../../client/control-error.ts'
import { ApiError } from '../../client/index.ts'
import { FilesError, InterruptedError } from './cli-errors.ts'
import { EXIT, exitCodeOf, isExpected } from './exit-code.ts'

const hints = new WeakMap<object, string>()

/** Something to say below a fault, by whoever knows more of where it arose. */
export function addHint(error: unknown, hint: string): void {
  if (typeof error === 'object' && error !== null) hints.set(error, hint)
}

/** Says on stderr what went wrong, and sets the exit code. */
export function reportError(error: unknown): void {
  process.exitCode = exitCodeOf(error)
  if (error instanceof InterruptedError) return
  process.stderr.write(`${error instanceof FilesError ? '' : 'paysim: '}${wordsOf(error)}\n`)
  const hint = typeof error === 'object' && error !== null ? hints.get(error) : undefined
  if (hint !== undefined) process.stderr.write(`${printable(hint)}\n`)
}

function wordsOf(error: unknown): string {
  if (error instanceof ApiError)
    return `${refusal(error)}${exitCodeOf(error) === EXIT.noAnswer ? `\n${FOREIGN}` : ''}`
  if (error instanceof ControlError) return refusal({ ...error, message: error.reason })
  if (!(error instanceof Error)) return String(error)
  return isExpected(error) ? printable(error.message) : (error.stack ?? error.message)
}

const FOREIGN = 'This is no error of this API. Is the base URL (--base-url) that of the API?'

interface RefusalError {
  readonly message: string
  readonly code: string
  readonly status: number
  readonly details: readonly { readonly field: string; readonly message: string }[]
  readonly requestId: string | null | undefined
}

function refusal({ message, code, status, details, requestId }: RefusalError): string {
  const facts = [code, `HTTP ${status}`, ...(requestId ? [requestId] : [])]
  const fields = details.map(({ field, message }) => `\n  ${field}: ${message}`)
  return printable(`${message} (${facts.join(', ')})${fields.join('')}`)
}

/** What a server said is shown on somebody's terminal: no control sequences but line ends. */
const printable = (text: string) => text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, ' ')
