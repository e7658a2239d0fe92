import { ControlFault } from '../../client/control-fault.ts'
import { ApiError } from '../../client/index.ts'
import { EXIT, exitCodeOf, isExpected } from './exit-code.ts'
import { Interrupted } from './interrupted.ts'
import { FilesFault } from './usage-fault.ts'

const hints = new WeakMap<object, string>()

/** Something to say below a fault, by whoever knows more of where it arose. */
export function addHint(fault: unknown, hint: string): void {
  if (typeof fault === 'object' && fault !== null) hints.set(fault, hint)
}

/** Says on stderr what went wrong, and sets the exit code. */
export function reportFault(fault: unknown): void {
  process.exitCode = exitCodeOf(fault)
  if (fault instanceof Interrupted) return
  process.stderr.write(`${fault instanceof FilesFault ? '' : 'paysim: '}${wordsOf(fault)}\n`)
  const hint = typeof fault === 'object' && fault !== null ? hints.get(fault) : undefined
  if (hint !== undefined) process.stderr.write(`${printable(hint)}\n`)
}

function wordsOf(fault: unknown): string {
  if (fault instanceof ApiError)
    return `${refusal(fault)}${exitCodeOf(fault) === EXIT.noAnswer ? `\n${FOREIGN}` : ''}`
  if (fault instanceof ControlFault) return refusal({ ...fault, message: fault.reason })
  if (!(fault instanceof Error)) return String(fault)
  return isExpected(fault) ? printable(fault.message) : (fault.stack ?? fault.message)
}

const FOREIGN = 'This is no error of this API. Is the base URL (--base-url) that of the API?'

interface Refusal {
  readonly message: string
  readonly code: string
  readonly status: number
  readonly details: readonly { readonly field: string; readonly message: string }[]
  readonly requestId: string | null | undefined
}

function refusal({ message, code, status, details, requestId }: Refusal): string {
  const facts = [code, `HTTP ${status}`, ...(requestId ? [requestId] : [])]
  const fields = details.map(({ field, message }) => `\n  ${field}: ${message}`)
  return printable(`${message} (${facts.join(', ')})${fields.join('')}`)
}

/** What a server said is shown on somebody's terminal: no control sequences but line ends. */
const printable = (text: string) => text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, ' ')
