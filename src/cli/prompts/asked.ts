import type { default as Inquirer } from 'inquirer'
import { InterruptedError } from '../errors/interrupted.ts'

type Prompt = ReturnType<typeof Inquirer.createPromptModule<never>>

interface Key {
  readonly name?: string
  readonly ctrl?: boolean
}

const LEFT = new Set(['ExitPromptError', 'AbortPromptError'])

/** What was answered. Asked on stderr, so that what a command prints on stdout stays data. */
export async function asked<T>(question: (prompt: Prompt) => Promise<{ answer: T }>): Promise<T> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  // To readline an end of input is the end of its work, and to inquirer nothing: nobody would ever answer.
  const leaveAtEnd = (_: unknown, { name, ctrl }: Key) => {
    if (ctrl && name === 'd') leave()
  }
  process.stdin.on('keypress', leaveAtEnd).once('end', leave)
  process.once('SIGTERM', leave).once('SIGHUP', leave)
  try {
    const { createPromptModule } = await painter()
    const prompt = createPromptModule({ output: process.stderr, signal: leaving.signal })
    return (await question(prompt)).answer
  } catch (cause) {
    if (cause instanceof Error && LEFT.has(cause.name)) throw new InterruptedError()
    throw cause
  } finally {
    process.stdin.off('keypress', leaveAtEnd).off('end', leave)
    process.off('SIGTERM', leave).off('SIGHUP', leave)
  }
}

/** Some of its colours are chosen as it is loaded, and of our flags it knows none. */
async function painter(): Promise<typeof Inquirer> {
  if (process.argv.includes('--no-color')) process.env.NO_COLOR = '1'
  return (await import('inquirer')).default
}
