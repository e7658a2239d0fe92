import { Argument, type Command, Option } from 'commander'
import type { AnswerTo, AnyInput, CallInput, InputOf, JsonCall } from '../../contract/control/call.ts'
import type { CommandTable } from '../command-table.ts'
import { listView } from '../commands/sim/tables.ts'
import { choice } from '../flag-values.ts'
import type { Table } from '../output/columns.ts'
import { doneView, type View } from '../output/view.ts'
import { type ControlFlags, controlCommand, examples } from './flags.ts'
import { type ControlSession, confirm, withControl } from './session.ts'

/**
 * A command of `sim` that is one call of the control surface, as data: which call, which words fill it, how its answer is
 * shown. What needs more than that is a function of its own.
 */
export interface RowOf<C extends JsonCall> {
  /** In the help of its group. */
  readonly summary: string
  readonly description: string
  /** By their names, such as `<id>`; an optional one is in brackets. */
  readonly arguments?: Words<C>
  /** By their names, such as `--overlap <duration>`. */
  readonly flags?: Words<C>
  readonly examples: readonly string[]
  /** How the answer is shown: as one view, as a list with columns, or as a sentence if it has no body. */
  readonly show:
    | { readonly view: (given: Given) => View<AnswerTo<C>> }
    | { readonly table: (given: Given) => Table & { readonly csv?: readonly string[] } }
    | { readonly done: (given: Given) => string }
  /** What would happen, to be confirmed first; it completes the sentence "This would …". */
  readonly confirm?: (given: Given, session: ControlSession) => string
}

/** Each argument or flag with its description. One that has no place in the call is for the view. */
type Words<C extends JsonCall> = Readonly<Record<string, string | WordOf<C>>>
interface WordOf<C extends JsonCall> {
  readonly about: string
  /** Where its value goes. The server checks it. */
  readonly to: PlaceIn<C>
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
  readonly show:
    | { readonly view: (given: Given) => View<never> }
    | Exclude<RowOf<JsonCall>['show'], { readonly view: unknown }>
}
type AnyWords = Readonly<Record<string, string | AnyWord>>
type AnyWord = Omit<WordOf<JsonCall>, 'to'> & { readonly to: string }

export const row = <C extends JsonCall>(call: C, its: RowOf<C>): Row => ({ call, ...its })

/** A command with logic of its own. */
interface OwnCommand {
  readonly summary: string
  readonly command: () => Command
}

/** The commands of one noun, such as those of `sim keys`. */
export const nounOf = (words: string, rows: Readonly<Record<string, Row | OwnCommand>>): CommandTable =>
  Object.fromEntries(
    Object.entries(rows).map(([name, its]) => [
      name,
      {
        summary: its.summary,
        load: async () => ({
          command: 'command' in its ? its.command : () => rowCommand(`${words} ${name}`, its),
        }),
      },
    ]),
  )

function rowCommand(name: string, its: Row): Command {
  const { call, description, arguments: words = {}, flags = {}, show } = its
  return controlCommand(
    name,
    command => {
      command.description(description)
      for (const [word, how] of Object.entries(words)) command.addArgument(argumentOf(word, how))
      for (const [word, how] of Object.entries(flags)) command.addOption(optionOf(word, how))
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
    const { call, show } = its
    if (its.confirm) await confirm(given, its.confirm(given, session))
    const input = await inputOf(its, given)
    const params = { account: session.account.id, ...input.params }
    // What is missing or of the wrong kind, the server refuses.
    const answered = session.control.call(call, ...([{ ...input, params }] as unknown as InputOf<JsonCall>))
    await session.show(answered, viewOf(show, given) as View<unknown>)
  })
}

function viewOf(show: Row['show'], given: Given): View<never> {
  if ('view' in show) return show.view(given)
  if ('done' in show) return doneView(show.done(given))
  const { empty, columns, csv } = show.table(given)
  return listView(empty, columns, csv)
}

/** The input of the call: each value at its place. */
async function inputOf({ arguments: words = {}, flags = {} }: Row, given: Given): Promise<AnyInput> {
  const input: Tree = {}
  const placed = [
    ...Object.entries(words).map(([word, how]) => ({ how, value: given[argumentOf(word, how).name()] })),
    ...Object.entries(flags).map(([word, how]) => ({
      how,
      value: given[optionOf(word, how).attributeName()],
    })),
  ]
  for (const { how, value } of placed) {
    if (typeof how === 'string') continue
    const path = how.to.split('.')
    // A call that can have a body gets one, also an empty one.
    if (path.length > 1 && path[0] === 'body') input.body ??= {}
    if (value !== undefined) put(input, path, how.value ? await how.value(value as never) : value)
  }
  return input
}

interface Tree {
  [name: string]: unknown
}

function put(tree: Tree, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) tree[name] = value
  else {
    tree[name] ??= {}
    put(tree[name] as Tree, rest, value)
  }
}

const argumentOf = (word: string, how: string | AnyWord): Argument =>
  parsedAs(new Argument(word, aboutOf(how)), how)

const optionOf = (word: string, how: string | AnyWord): Option =>
  parsedAs(new Option(word, aboutOf(how)), how)

const aboutOf = (how: string | AnyWord) => (typeof how === 'string' ? how : how.about)

function parsedAs<T extends Argument | Option>(word: T, how: string | AnyWord): T {
  if (typeof how === 'string') return word
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
