import type { default as Inquirer } from 'inquirer'
import { InterruptedError } from '../errors/cli-errors.ts'
import { visible } from '../output/text.ts'

interface Question {
  readonly message: string
}

/** Says what is wrong with what was typed; nothing, where nothing is. */
export type Check = (typed: string) => string | undefined

interface Choice<T> {
  readonly name: string
  readonly value: T
  readonly description?: string
}

type Choices<T> = readonly [Choice<T>, ...Choice<T>[]]

/** Questions to whoever sits at the terminal. */
export const ask = {
  confirm: (question: Question & { readonly default?: boolean }): Promise<boolean> =>
    asked(prompt => prompt<{ answer: boolean }>([{ type: 'confirm', name: 'answer', ...question }])),

  text: ({
    check,
    ...question
  }: Question & { readonly default?: string; readonly check?: Check }): Promise<string> =>
    asked(prompt =>
      prompt<{ answer: string }>([
        { type: 'input', name: 'answer', validate: validator(check), ...question },
      ]),
    ),

  /** What is typed is not shown. */
  secret: ({ check, ...question }: Question & { readonly check?: Check }): Promise<string> =>
    asked(prompt =>
      prompt<{ answer: string }>([
        { type: 'password', name: 'answer', mask: '*', validate: validator(check), ...question },
      ]),
    ),

  select: async <T>({ choices, ...question }: Question & { readonly choices: Choices<T> }): Promise<T> => {
    const list = { choices: shown(choices), pageSize: 12, loop: false, ...question }
    const place = await asked(prompt =>
      prompt<{ answer: number }>([{ type: 'select', name: 'answer', ...list }]),
    )
    return (choices[place] ?? choices[0]).value
  },

  /** One of many: typing leaves those that have the words in them. */
  search: async <T>({ choices, ...question }: Question & { readonly choices: Choices<T> }): Promise<T> => {
    const all = shown(choices)
    const source = (typed?: string) =>
      typed === undefined ? all : all.filter(({ name }) => hasWords(name, typed))
    const place = await asked(prompt =>
      prompt<{ answer: number }>([{ type: 'search', name: 'answer', pageSize: 10, source, ...question }]),
    )
    return (choices[place] ?? choices[0]).value
  },
}

const validator = (check?: Check) => (typed: string) => check?.(typed.trim()) ?? true

/** By place: what inquirer makes of the type of a value is its own. Names may be a server's, so nothing in them acts. */
const shown = (choices: readonly Choice<unknown>[]) =>
  choices.map(({ name, description }, value) => ({
    name: visible(name),
    value,
    ...(description === undefined ? {} : { description: visible(description) }),
  }))

/** Accents are left out, since whoever looks for Banco Itau may have no í at hand. */
function hasWords(name: string, typed: string): boolean {
  const text = folded(name)
  return folded(typed)
    .split(/\s+/)
    .every(word => text.includes(word))
}

const folded = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .trim()

type Prompt = ReturnType<typeof Inquirer.createPromptModule<never>>

interface Key {
  readonly name?: string
  readonly ctrl?: boolean
}

const LEFT = new Set(['ExitPromptError', 'AbortPromptError'])

/** What was answered. Asked on stderr, so that what a command prints on stdout stays data. */
async function asked<T>(question: (prompt: Prompt) => Promise<{ answer: T }>): Promise<T> {
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
