import { ControlError } from '../../client/errors.ts'
import { ApiError } from '../../client/index.ts'
import { wrapMessage } from '../help-text.ts'
import { FilesError, InterruptedError } from './cli-errors.ts'
import { EXIT, exitCodeOf, isExpected } from './exit-code.ts'

const hints = new WeakMap<object, string>()

/** Adds a line to print below an error, and below those that were added before. */
export function addHint(error: unknown, hint: string): void {
  if (typeof error !== 'object' || error === null) return
  const before = hints.get(error)
  hints.set(error, before === undefined ? hint : `${before}\n${hint}`)
}

/** Each command on a line of its own, as people copy it. */
export const commandLines = (commands: readonly string[]) => commands.map(one => `  ${one}`).join('\n')

/** Prints an error to stderr, and sets the exit code. */
export function reportError(error: unknown): void {
  process.exitCode = exitCodeOf(error)
  if (error instanceof InterruptedError) return
  // Editors read the lines of a FilesError, and a stack is code: both stay as they are.
  const isProse = isExpected(error) && !(error instanceof FilesError)
  const message = `${error instanceof FilesError ? '' : 'paysim: '}${textOf(error)}\n`
  process.stderr.write(isProse ? wrapMessage(message) : message)
  const hint = typeof error === 'object' && error !== null ? hints.get(error) : undefined
  if (hint !== undefined) process.stderr.write(wrapMessage(`${printable(hint)}\n`))
}

function textOf(error: unknown): string {
  if (error instanceof ApiError)
    return `${refusal(error)}${exitCodeOf(error) === EXIT.noAnswer ? `\n${FOREIGN}` : ''}`
  if (error instanceof ControlError) return refusal({ ...error, message: error.reason })
  if (!(error instanceof Error)) return String(error)
  return isExpected(error) ? printable(error.message) : (error.stack ?? error.message)
}

const FOREIGN = 'This is not an error of the merchant API. Check the base URL (--base-url).'

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

/** Removes control sequences, because a server's text goes to a terminal. Line ends stay. */
const printable = (text: string) => text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, ' ')
