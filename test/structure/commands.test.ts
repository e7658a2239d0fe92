import { type Command, CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { type CommandTable, commandsOf } from '../../src/cli/command-table.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { readTree } from '../../src/cli/completion.ts'
import { shellLine } from '../support/structure/shell-line.ts'

/** All commands follow the same rules. */

interface Leaf {
  readonly words: string[]
  readonly summary: string
  readonly load: () => Promise<Command>
}

async function leavesOf(table: CommandTable, words: string[] = []): Promise<Leaf[]> {
  const leaves = await Promise.all(
    Object.entries(table).map(async ([name, entry]) => {
      const path = [...words, name]
      if ('commands' in entry) return leavesOf(await commandsOf(entry), path)
      const load = async () => (await entry.load())(COMMANDS)
      return [{ words: path, summary: entry.summary, load }]
    }),
  )
  return leaves.flat()
}

const LEAVES = await leavesOf(COMMANDS)
const root = await readTree(COMMANDS)
const nodeOf = (words: readonly string[]) =>
  words.reduce((node, word) => node.commands.find(({ words }) => words.at(-1) === word) ?? node, root)

describe.each(LEAVES.map(leaf => ({ ...leaf, name: leaf.words.join(' ') })))(
  'paysim $name',
  ({ words, summary, load }) => {
    const node = nodeOf(words)

    test('has the name that the table gives it', async () => {
      expect((await load()).name()).toBe(`paysim ${words.join(' ')}`)
    })

    test('has a short summary, and a description in sentences', () => {
      expect(summary).toMatch(/^[a-z].*[^.]$/)
      expect(summary.length).toBeLessThanOrEqual(75)
      expect(node.description).toMatch(/^[A-Z][\s\S]*\.$/)
    })

    test('describes each argument and each option', () => {
      const undescribed = [...node.arguments, ...node.options].filter(
        ({ description }) => description.trim() === '',
      )
      expect(undescribed).toEqual([])
    })

    test('has no two options with the same name', () => {
      const names = node.options.flatMap(({ names }) => names)
      expect(names).toEqual([...new Set(names)])
    })

    test('lists the choices of an option that accepts only certain words, for help and shells', async () => {
      const command = await load()
      const hidden = [...command.options, ...command.registeredArguments].filter(
        ({ argChoices, parseArg }) => !argChoices && /Allowed choices are/.test(complaintOf(parseArg)),
      )
      expect(hidden.map(({ description }) => description)).toEqual([])
    })

    test('prints help, and ends with 0', async () => {
      const command = await load()
      let printed = ''
      command.exitOverride().configureOutput({
        writeOut: text => {
          printed += text
        },
      })
      await expect(command.parseAsync(['--help'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 })
      expect(printed).toMatch(/^Usage: paysim [\s\S]*^Examples:$/m)
    })

    test('has examples that it accepts', async () => {
      const examples = examplesIn(node.more)
      expect(examples.length).toBeGreaterThan(0)
      for (const example of examples) expect(await refusal(example)).toBeUndefined()
    })
  },
)

test('the examples are parsed as a shell parses them', async () => {
  expect(await refusal(`paysim payments get pi_1 --no-such-flag`)).toContain('no-such-flag')
  expect(await refusal(`paysim payments gte pi_1`)).toContain('gte')
  expect(await refusal(`paysim payments get`)).toContain('id')
  expect(await refusal(`X=1 paysim payments get pi_1 -o json | jq '.a | .b' > "two words"`)).toBeUndefined()
})

function complaintOf(parse: ((value: string, previous: never) => unknown) | undefined): string {
  try {
    parse?.('\u0000', undefined as never)
    return ''
  } catch (error) {
    return String(error)
  }
}

/** Lines that call paysim, below the word Examples; a backslash at the end goes on with the next. */
function examplesIn(text: string): string[] {
  const [, below = ''] = text.split(/^Examples:$/m)
  return below
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter(line => /\bpaysim\b/.test(line))
}

/** Why a line would not be taken; it is parsed, and not carried out. */
async function refusal(line: string): Promise<string | undefined> {
  for (const words of shellLine(line).filter(([first]) => first === 'paysim')) {
    const rest = words.slice(1)
    let table: CommandTable = COMMANDS
    for (;;) {
      const name = rest.shift() ?? ''
      const entry = Object.hasOwn(table, name) ? table[name] : undefined
      if (!entry) return `${line}: there is no command ${name}`
      if ('commands' in entry) {
        table = await commandsOf(entry)
        if (entry.alone !== undefined && (rest[0] ?? '-').startsWith('-')) rest.unshift(entry.alone)
        continue
      }
      const wrong = await parseOnly((await entry.load())(COMMANDS), rest)
      if (wrong !== undefined) return `${line}: ${wrong}`
      break
    }
  }
  return undefined
}

async function parseOnly(command: Command, words: readonly string[]): Promise<string | undefined> {
  const quiet = () => {}
  command.exitOverride().configureOutput({ writeErr: quiet, writeOut: quiet }).action(quiet)
  try {
    await command.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined
    return String(error)
  }
}
