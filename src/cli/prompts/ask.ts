import inquirer from 'inquirer'
import { Interrupted } from '../faults/interrupted.ts'

/** On stderr, so that what a command prints on stdout stays data. */
const prompt = inquirer.createPromptModule({ output: process.stderr })

interface Question {
  readonly message: string
}

/** Says what is wrong with what was typed; nothing, where nothing is. */
type Check = (typed: string) => string | undefined

interface Choice<T> {
  readonly name: string
  readonly value: T
  readonly description?: string
}

/** Questions to whoever sits at the terminal. */
export const ask = {
  confirm: (question: Question & { readonly default?: boolean }): Promise<boolean> =>
    answered(prompt<{ answer: boolean }>([{ type: 'confirm', name: 'answer', ...question }])),

  text: ({
    check,
    ...question
  }: Question & { readonly default?: string; readonly check?: Check }): Promise<string> =>
    answered(
      prompt<{ answer: string }>([
        { type: 'input', name: 'answer', validate: validator(check), ...question },
      ]),
    ),

  /** What is typed is not shown. */
  secret: ({ check, ...question }: Question & { readonly check?: Check }): Promise<string> =>
    answered(
      prompt<{ answer: string }>([
        { type: 'password', name: 'answer', mask: '*', validate: validator(check), ...question },
      ]),
    ),

  select: async <T>({
    choices,
    ...question
  }: Question & { readonly choices: readonly [Choice<T>, ...Choice<T>[]] }): Promise<T> => {
    // By place: what inquirer makes of the type of a value is its own.
    const shown = choices.map(({ name, description }, value) => ({
      name,
      value,
      ...(description === undefined ? {} : { description }),
    }))
    const place = await answered(
      prompt<{ answer: number }>([{ type: 'select', name: 'answer', choices: shown, ...question }]),
    )
    return (choices[place] ?? choices[0]).value
  },
}

const validator = (check?: Check) => (typed: string) => check?.(typed.trim()) ?? true

async function answered<T>(asking: Promise<{ answer: T }>): Promise<T> {
  try {
    return (await asking).answer
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ExitPromptError') throw new Interrupted()
    throw cause
  }
}
