import { Argument, type Command, Option } from 'commander'
import type { Call } from '../../client/call.ts'
import type { ListBody } from '../../client/control-caller.ts'
import { ControlError } from '../../client/errors.ts'
import type { AnswerTo, AnyInput, CallInput, InputOf, JsonCall } from '../../contract/control/call.ts'
import { shellWords } from '../../contract/shell-words.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import type { CommandTable } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { addHint } from '../errors/report-error.ts'
import { type Body, withValue } from '../fields/body.ts'
import { atLeastOne, choice } from '../flag-values.ts'
import { listView } from '../output/columns.ts'
import { sections } from '../output/record.ts'
import type { Screen } from '../output/screen.ts'
import type { Table } from '../output/table.ts'
import { doneView, type ListView, type View } from '../output/view.ts'
import { whyText } from '../output/views/why.ts'
import { type Takes, takes } from '../values.ts'
import {
  type ControlCommandOptions,
  type ControlFlags,
  type ControlSession,
  confirm,
  controlCommand,
  examples,
  withControl,
} from './session.ts'

/**
 * A command of `sim` that is one call of the control surface, as data: which call, which words fill it, how its answer is
 * shown. What needs more than that is a function of its own.
 */
interface RowOf<C extends JsonCall> {
  /** In the help of its group. */
  readonly summary: string
  readonly description: string
  /** By their names, such as `<id>`; an optional one is in brackets. */
  readonly arguments?: Words<C>
  /** By their names, such as `--overlap <duration>`. */
  readonly flags?: Words<C>
  readonly examples: readonly string[]
  readonly show: Show<View<AnswerTo<C>>, CallInput<C> extends Paged ? true : never>
  /** Why the words do not go together, as a mistake in the usage: the server could not name them. */
  readonly mistake?: (input: AnyInput, given: Given) => string | undefined
  /** What would happen, to be confirmed first; it completes the sentence "This would …". */
  readonly confirm?: (given: Given, session: ControlSession) => string
  /** What to do about a value that the server refuses, or a word that is missing. */
  readonly refused?: string
  /** The command that shows, with --reveal, the secrets that this one hides; it is the same one if it only reads. */
  readonly hides?: readonly string[]
}

/** How an answer is shown: as one view, as a list with columns, or as a sentence if it has no body. */
type Show<V, Pages> =
  | {
      readonly view: V | ((given: Given) => V)
      /** Whether "in 3 days" is for people relative to the clock of the account. Programs save that call. */
      readonly inAccountTime?: true
      /** Whether people also see why the record is as it is. Programs ask `sim why`. */
      readonly explained?: true
    }
  | {
      readonly table: TableFrom
      /** For a list that may be long: one page of it, or page by page. */
      readonly pages?: Pages
    }
  | { readonly done: (given: Given) => string }
type ListTable = Table & { readonly csv?: readonly string[] }
type TableFrom = ListTable | ((given: Given) => ListTable)
interface Paged {
  readonly query?: { readonly limit?: unknown; readonly cursor?: unknown }
}

/** Each argument or flag with its description. One that has no place in the call is for the view. */
type Words<C extends JsonCall> = Readonly<Record<string, string | WordOf<C>>>
interface WordOf<C extends JsonCall> {
  readonly about: string
  readonly takes?: Takes
  /** Where its value goes. The server checks it. */
  readonly to: PlaceIn<C>
  /** The words that it can be; `parse` then decides what they mean. */
  readonly choices?: readonly string[]
  /** Reads the word, or refuses it as a mistake in the usage. */
  readonly parse?: (text: string, before: never) => unknown
  /** Makes the value that is sent, for example from the file that is named. */
  readonly value?: (parsed: never) => unknown
}

/** A place in the input of a call, such as `params.id`, `body`, or `body.recipient.bank_code`. */
type PlaceIn<C extends JsonCall> =
  | PlaceBelow<'params', CallInput<C, 'account'>>
  | PlaceBelow<'query', CallInput<C>>
  | (CallInput<C> extends { readonly body?: unknown } ? 'body' : never)
  | PlaceBelow<'body', CallInput<C>>
type PlaceBelow<Part extends string, Input> = Input extends { readonly [P in Part]?: infer Members }
  ? { [N in keyof Members & string]: `${Part}.${N}` | DeepPlace<`${Part}.${N}`, Members[N]> }[keyof Members &
      string]
  : never
type DeepPlace<Part extends string, Member> =
  NonNullable<Member> extends readonly unknown[]
    ? never
    : NonNullable<Member> extends object
      ? `${Part}.${keyof NonNullable<Member> & string}`
      : never

/** The values of all arguments and flags, by their names in camel case. */
export type Given = ControlFlags & Readonly<Record<string, unknown>>

/** A row of any call. */
type Row = Omit<RowOf<JsonCall>, 'show' | 'arguments' | 'flags'> & {
  readonly call: JsonCall
  readonly arguments?: AnyWords
  readonly flags?: AnyWords
  readonly show: Show<View<never>, true>
}
type AnyWords = Readonly<Record<string, string | AnyWord>>
type AnyWord = OwnWord & { readonly to: string }
type OwnWord = Omit<WordOf<JsonCall>, 'to'>

export const row = <C extends JsonCall>(call: C, its: RowOf<C>): Row => ({ call, ...its })

/** A command with logic of its own. */
interface OwnCommand {
  readonly summary: string
  readonly command: () => Command
}

interface OwnRow extends ControlCommandOptions {
  readonly description: string
  readonly arguments?: Readonly<Record<string, string | OwnWord>>
  readonly flags?: Readonly<Record<string, string | OwnWord>>
  /** A paragraph above the examples. */
  readonly more?: string
  readonly examples: readonly string[]
  /** It gets what was given by its name, as far as it asks for it. */
  readonly run: (session: ControlSession, given: never) => Promise<void>
}

/** A command that is declared as a row is, and does what no single call can do. */
export const ownCommand = (name: string, its: OwnRow) => (): Command =>
  controlCommand(
    name,
    command => {
      const { description, arguments: words = {}, flags = {}, more = '' } = its
      declared(command.description(description), words, flags)
      return command.addHelpText('after', more + examples(...its.examples)).action(() => {
        const given = givenTo(command)
        return withControl(given, session => its.run(session, given as never))
      })
    },
    its,
  )

function declared(command: Command, words: OwnRow['arguments'] = {}, flags: OwnRow['flags'] = {}): void {
  for (const [word, how] of Object.entries(words)) command.addArgument(argumentOf(word, how))
  for (const [word, how] of Object.entries(flags)) command.addOption(optionOf(word, how))
}

/** The commands of one noun, such as those of `sim keys`. */
export const nounOf = (words: string, rows: Readonly<Record<string, Row | OwnCommand>>): CommandTable =>
  Object.fromEntries(
    Object.entries(rows).map(([name, its]) => [
      name,
      {
        summary: its.summary,
        load: async () => ('command' in its ? its.command : () => rowCommand(`${words} ${name}`, its)),
      },
    ]),
  )

/** A command that is a noun by itself, such as `sim events`. Its summary is in the table of all commands. */
export const commandOf =
  <C extends JsonCall>(words: string, call: C, its: Omit<RowOf<C>, 'summary'>): (() => Command) =>
  () =>
    rowCommand(words, { call, summary: '', ...its })

function rowCommand(name: string, its: Row): Command {
  const { call, description, arguments: words = {}, flags = {}, show } = its
  return controlCommand(
    name,
    command => {
      if (isPaged(show)) pageFlags(command)
      declared(command.description(description), words, flags)
      if (its.refused)
        command.showHelpAfterError(`${its.refused}\n\`paysim ${name} --help\` lists the options.`)
      return command.addHelpText('after', examples(...its.examples)).action(() => run(its, givenTo(command)))
    },
    {
      account: call.includes('/:account/'),
      list: 'table' in show,
      asks: its.confirm !== undefined,
    },
  )
}

async function run(its: Row, given: Given): Promise<void> {
  await withControl(given, async session => {
    const { call, show, mistake } = its
    const input = await inputOf(its, given)
    const wrong = mistake?.(input, given)
    if (wrong !== undefined) throw new UsageError(wrong)
    if (its.confirm) await confirm(given, its.confirm(given, session))
    const answered = (query: PageQuery = {}) => {
      const params = { account: session.account.id, ...input.params }
      // What is missing or of the wrong kind, the server refuses.
      const whole = { ...input, params, query: { ...input.query, ...query } } as unknown
      return session.control.call(call, ...([whole] as InputOf<JsonCall>))
    }
    if (isPaged(show)) {
      const list = (page: PageQuery) =>
        answered(page) as Call<unknown, unknown> as Call<unknown[], ListBody<unknown>>
      return showPages(session, given as PageFlags, { list, view: tableView(show, given) })
    }
    await showAnswer(answered(), show, { given, session }).catch(error => {
      throw its.refused === undefined ? error : explained(error, its.refused, its.flags)
    })
    if (its.flags && '--reveal' in its.flags && !given.reveal && session.human)
      process.stderr.write(`Secrets are hidden: ${revealing(its, given)} shows them.\n`)
  })
}

/** The same error, with the flag for each value that the server refuses or misses. */
function explained(error: unknown, hint: string, flags: AnyWords = {}): unknown {
  const details = error instanceof ControlError ? error.details : []
  if (details.length === 0) return error
  const meant = Object.entries(flags).flatMap(([flag, how]) => {
    const to = typeof how === 'string' ? undefined : how.to
    return details.some(({ field }) => to === `body.${field}`) ? [flag] : []
  })
  addHint(error, [...(meant.length === 0 ? [] : [`Give it by ${meant.join(' and ')}.`]), hint].join('\n'))
  return error
}

/** To make something a second time would not show the secret of the first. */
function revealing({ call, hides }: Row, { account }: Given): string {
  if (call.startsWith('GET ')) return '--reveal'
  return `\`${shellWords(['paysim', ...(hides ?? []), '--reveal', ...(account ? ['--account', account] : [])])}\``
}

const isPaged = (show: Row['show']): show is { readonly table: TableFrom; readonly pages: true } =>
  'table' in show && show.pages === true

export async function showAnswer(
  answered: Call<unknown>,
  show: Row['show'],
  { given, session }: { readonly given: Given; readonly session: ControlSession },
): Promise<void> {
  const view = viewOf(show, given) as View<unknown>
  if (!('view' in show && show.inAccountTime && session.human)) return session.show(answered, view)
  const body = await answered
  const clock = await session.account.clock.get()
  const why = show.explained ? await whyOf(body, session) : undefined
  await session.show(answered, {
    ...view,
    human: async (body, screen) => {
      const shown = inAccountTime(clock, screen)
      return sections(await view.human(body, shown), why ? whyText(why, shown) : '')
    },
  })
}

/** Undefined if the record was removed meanwhile. */
const whyOf = async (body: unknown, { control, account }: ControlSession) => {
  const { id } = Object(body)
  try {
    return await control.call('GET /accounts/:account/why/:id', { params: { account: account.id, id } })
  } catch (cause) {
    if (cause instanceof ControlError && cause.code === 'not_found') return undefined
    throw cause
  }
}

/** A screen whose present is that of an account, which may differ from wall time. */
export const inAccountTime = ({ now }: { readonly now: string }, screen: Screen): Screen => ({
  ...screen,
  now: parseTimestamp(now) ?? screen.now,
})

function viewOf(show: Row['show'], given: Given): View<never> {
  if ('view' in show) return typeof show.view === 'function' ? show.view(given) : show.view
  if ('done' in show) return doneView(show.done(given))
  return tableView(show, given)
}

function tableView({ table }: { readonly table: TableFrom }, given: Given): ListView<ListBody<unknown>> {
  const { empty, columns, csv } = typeof table === 'function' ? table(given) : table
  return listView(empty, columns, csv)
}

/** The input of the call: each value at its place. */
async function inputOf({ arguments: words = {}, flags = {} }: Row, given: Given): Promise<AnyInput> {
  const placed = [
    ...Object.entries(words).map(([word, how]) => ({ how, value: given[argumentOf(word, how).name()] })),
    ...Object.entries(flags).map(([word, how]) => ({
      how,
      value: given[optionOf(word, how).attributeName()],
    })),
  ].flatMap(({ how, value }) => (typeof how === 'string' ? [] : [{ how, value, to: how.to }]))
  // A call that can have a body gets one, also an empty one.
  let input: Body = placed.some(({ to }) => to.startsWith('body.')) ? { body: {} } : {}
  // A whole comes before its parts, which override it.
  for (const { how, value, to } of placed.sort((one, other) => depth(one.to) - depth(other.to)))
    if (value !== undefined) input = withValue(input, to, how.value ? await how.value(value as never) : value)
  return input
}

const depth = (place: string) => place.split('.').length

const argumentOf = (word: string, how: string | OwnWord): Argument =>
  parsedAs(new Argument(word, aboutOf(how)), how)

const optionOf = (word: string, how: string | OwnWord): Option =>
  parsedAs(new Option(word, aboutOf(how)), how)

const aboutOf = (how: string | OwnWord) => (typeof how === 'string' ? how : how.about)

function parsedAs<T extends Argument | Option>(word: T, how: string | OwnWord): T {
  if (typeof how === 'string') return word
  if (how.takes) takes(word, how.takes)
  if (how.choices) word.choices(how.choices).argParser(choice(how.choices))
  if (how.parse) word.argParser(how.parse as (text: string, before: unknown) => unknown)
  return word
}

function givenTo(command: Command): Given {
  const named = command.registeredArguments.map((argument, at) => [
    argument.name(),
    command.processedArgs[at],
  ])
  return { ...command.opts(), ...Object.fromEntries(named) }
}

/** A part of a list, as a call asks for it. */
interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Which part of a long list to print. */
interface PageFlags {
  readonly limit?: number
  readonly pageSize?: number
  readonly cursor?: string
  readonly all?: true
}

const DEFAULT_LIMIT = 50
const DEFAULT_PAGE = 1000

function pageFlags(command: Command): Command {
  return command
    .option(
      '--limit <n>',
      `print at most this many (default: ${DEFAULT_LIMIT}, or no limit with --all)`,
      atLeastOne,
    )
    .option(
      '--page-size <n>',
      `get this many with each request (default: ${DEFAULT_PAGE} with --all)`,
      atLeastOne,
    )
    .option('--cursor <cursor>', 'continue from this cursor')
    .option('--all', 'print all, page by page')
}

/** Prints one page, or page by page with --all. */
async function showPages<T>(
  { show, printer }: ControlSession,
  { limit, pageSize, cursor, all }: PageFlags,
  { list, view }: { list: (page: PageQuery) => Call<T[], ListBody<T>>; view: ListView<ListBody<T>> },
): Promise<void> {
  if (!all) {
    const most = Math.min(limit ?? pageSize ?? DEFAULT_LIMIT, pageSize ?? Number.POSITIVE_INFINITY)
    const call = list({ limit: most, cursor })
    await show(call, view)
    reportMore((await call.answer()).body.next_cursor)
    return
  }
  const pages = printer.stream(view)
  let next: string | null | undefined = cursor
  let left = limit ?? Number.POSITIVE_INFINITY
  do {
    const size = Math.min(left, pageSize ?? DEFAULT_PAGE)
    const { body }: { body: ListBody<T> } = await list({ limit: size, cursor: next }).answer()
    await pages.page(body)
    next = body.next_cursor
    left -= body.data.length
  } while (next && left > 0)
  await pages.end()
  reportMore(next)
}

function reportMore(next: string | null | undefined): void {
  if (next) process.stderr.write(`There are more: continue with --cursor ${next}, or list all with --all\n`)
}
