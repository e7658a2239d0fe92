import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runHere } from '../../support/cli/run-here.ts'
import { runBinary } from '../../support/gateway/server.ts'

interface Node {
  words: string[]
  commands: Node[]
  options: { names: string[]; flags: string; description: string; heading: string }[]
}

const everyNode = (node: Node): Node[] => [node, ...node.commands.flatMap(everyNode)]

const isGroup = ({ commands }: Node) => commands.length > 0

// What a command's help must have is in test/structure/commands.test.ts.
test('groups and commands have help', async () => {
  const nodes = everyNode(JSON.parse((await runHere(['completion', 'json'])).stdout))
  const groups = nodes.filter(node => isGroup(node) && node.words.length > 0)
  expect(groups.length).toBeGreaterThan(5)
  for (const { words, commands } of groups) {
    const { code, stdout, stderr } = await runHere([...words, '--help'])
    expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: /m)
    for (const command of commands) expect(stdout).toContain(command.words.at(-1))
  }
  for (const { words } of nodes.filter(node => !isGroup(node))) {
    const { code, stdout, stderr } = await runHere([...words, '--help'])
    expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: [\s\S]*^Examples:$/m)
  }
})

const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

test('a command describes its own options, and `help options` those that many commands have', async () => {
  const nodes = everyNode(JSON.parse((await runHere(['completion', 'json'])).stdout))
  const described = onOneLine((await runHere(['help', 'options'])).stdout)
  for (const { words, options } of nodes.filter(node => !isGroup(node))) {
    const help = onOneLine((await runHere([...words, '--help'])).stdout)
    for (const { names, flags, description, heading } of options.filter(
      ({ names }) => !names.includes('--help'),
    )) {
      const isOwn = heading === 'Options:'
      const line = onOneLine(`${flags} ${description}`)
      expect(help.includes(line), `${words.join(' ')}: ${flags}`).toBe(isOwn)
      if (isOwn) continue
      expect(described, words.join(' ')).toContain(line)
      const [, named = ''] = /Options of every call: `paysim help options` \(([^)]*)\)/.exec(help) ?? []
      expect(named.split(', ')).toContain(names.at(-1))
    }
  }
})

test('a command with many options of its own describes them on one screen', async () => {
  const { stdout } = await runHere(['payments', 'create', '--help'])
  const [own = ''] = stdout.split('\n\nOptions of every call:')
  expect(own.match(/^ {2}--/gm)?.length).toBeGreaterThan(14)
  expect(own.split('\n').length).toBeLessThanOrEqual(20)
})

test.each([[], ['payments'], ['payments', 'create'], ['sim', 'clock'], ['sim', 'clock', 'advance']])(
  'the binary prints help: %s %s %s',
  async (...words) => {
    const { code, stdout, stderr } = await runBinary([...words, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: /m)
  },
)

test('docs/cli.md has a page for each command', async () => {
  const nodes = everyNode(JSON.parse((await runHere(['completion', 'json'])).stdout))
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  const headings = [...page.matchAll(/^## (paysim .*)$/gm)].map(([, title]) => title)
  const commands = nodes.filter(({ commands }) => commands.length === 0)
  expect(headings.sort()).toEqual(commands.map(({ words }) => `paysim ${words.join(' ')}`).sort())
})
