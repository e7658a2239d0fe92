import type { default as Inquirer } from 'inquirer'
import { InterruptedError } from '../errors/cli-errors.ts'
import { drawnOn } from '../output/door.ts'
import { visible } from '../output/text.ts'

interface Question {
  readonly message: string
}

/** Says what is wrong with an answer; undefined if it is valid. */
export type Check = (typed: string) => string | undefined

interface Choice<T> {
  readonly name: string
  readonly value: T
  readonly description?: string
}

type Choices<T> = readonly [Choice<T>, ...Choice<T>[]]

/** Questions to the person at the terminal. */
export const ask = {
  confirm: (question: Question & { readonly default?: boolean }): Promise<boolean> =>
    asked(prompt => prompt<{ answer: boolean }>([{ type: 'confirm', name: 'answer', ...clear(question) }])),

  /** `hide` says whether what was typed so far must not be shown. */
  text: ({
    check,
    hide = () => false,
    ...question
  }: Question & {
    readonly default?: string
    readonly check?: Check
    readonly hide?: (typed: string) => boolean
  }): Promise<string> =>
    asked(prompt =>
      prompt<{ answer: string }>([
        {
          type: 'input',
          name: 'answer',
          validate: validator(check),
          transformer: typed => (hide(typed) ? '*'.repeat(typed.length) : typed),
          ...clear(question),
        },
      ]),
    ),

  /** The answer is not shown. */
  secret: ({ check, ...question }: Question & { readonly check?: Check }): Promise<string> =>
    asked(prompt =>
      prompt<{ answer: string }>([
        { type: 'password', name: 'answer', mask: '*', validate: validator(check), ...clear(question) },
      ]),
    ),

  select: async <T>({ choices, ...question }: Question & { readonly choices: Choices<T> }): Promise<T> => {
    const list = { choices: shown(choices), pageSize: 12, loop: false, ...clear(question) }
    const place = await asked(prompt =>
      prompt<{ answer: number }>([{ type: 'select', name: 'answer', ...list }]),
    )
    return (choices[place] ?? choices[0]).value
  },

  /** One of many choices: typing filters them. */
  search: async <T>({ choices, ...question }: Question & { readonly choices: Choices<T> }): Promise<T> => {
    const all = shown(choices)
    const source = (typed?: string) =>
      typed === undefined ? all : all.filter(({ name }) => hasWords(name, typed))
    const place = await asked(prompt =>
      prompt<{ answer: number }>([
        { type: 'search', name: 'answer', pageSize: 10, source, ...clear(question) },
      ]),
    )
    return (choices[place] ?? choices[0]).value
  },
}

/** The library writes past the door to the screen, so what a question takes from elsewhere is cleaned here. */
const clear = <Q extends Question>(question: Q): Q => ({ ...question, message: visible(question.message) })

const validator = (check?: Check) => (typed: string) => {
  const wrong = check?.(typed.trim())
  return wrong === undefined ? true : visible(wrong)
}

/** The values are indexes, because inquirer treats types of values differently. Names may come from a server: escape them. */
const shown = (choices: readonly Choice<unknown>[]) =>
  choices.map(({ name, description }, value) => ({
    name: visible(name),
    value,
    ...(description === undefined ? {} : { description: visible(description) }),
  }))

/** Ignores accents: `itau` finds Banco Itaú. */
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

const ABORTED = new Set(['ExitPromptError', 'AbortPromptError'])

/** Asks on stderr, so that stdout contains only data, and returns the answer. */
async function asked<T>(question: (prompt: Prompt) => Promise<{ answer: T }>): Promise<T> {
  const aborting = new AbortController()
  const abort = () => aborting.abort()
  // At the end of input, readline stops and inquirer does not notice: it would wait for ever.
  const abortAtEnd = (_: unknown, { name, ctrl }: Key) => {
    if (ctrl && name === 'd') abort()
  }
  process.stdin.on('keypress', abortAtEnd).once('end', abort)
  process.once('SIGTERM', abort).once('SIGHUP', abort)
  try {
    const { createPromptModule } = await loadInquirer()
    const prompt = createPromptModule({ output: drawnOn(process.stderr), signal: aborting.signal })
    return (await question(prompt)).answer
  } catch (cause) {
    if (cause instanceof Error && ABORTED.has(cause.name)) throw new InterruptedError()
    throw cause
  } finally {
    process.stdin.off('keypress', abortAtEnd).off('end', abort)
    process.off('SIGTERM', abort).off('SIGHUP', abort)
  }
}

/** Inquirer chooses some colours when it is loaded, and does not know --no-color. */
async function loadInquirer(): Promise<typeof Inquirer> {
  if (process.argv.includes('--no-color')) process.env.NO_COLOR = '1'
  return (await import('inquirer')).default
}
