import { visible } from '../output/visible.ts'
import { asked } from './asked.ts'

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
