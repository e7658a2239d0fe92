import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runBinary } from '../../blackbox/harness.ts'

interface Node {
  words: string[]
  commands: Node[]
}

const everyNode = (node: Node): Node[] => [node, ...node.commands.flatMap(everyNode)]

test('every command and every group has help, with examples for what can be run', {
  timeout: 120_000,
}, async () => {
  const nodes = everyNode(JSON.parse((await runBinary(['completion', 'json'])).stdout))
  expect(nodes.length).toBeGreaterThan(40)
  const wrong: string[] = []
  // A few at a time: processes enough to use the machine, and not so many that they wait for each other.
  const left = [...nodes]
  const worker = async () => {
    for (let node = left.pop(); node; node = left.pop()) {
      const { code, stdout, stderr } = await runBinary([...node.words, '--help'])
      const shows = stdout.startsWith('Usage: ') || stdout.includes('\nUsage: ')
      const examples = node.commands.length > 0 || /^Examples:$/m.test(stdout)
      if (code !== 0 || stderr !== '' || !shows || !examples)
        wrong.push(`${node.words.join(' ')}: ${code} ${stderr}`)
    }
  }
  await Promise.all([worker(), worker(), worker()])
  expect(wrong).toEqual([])
})

test('docs/cli.md has a page for each command', async () => {
  const nodes = everyNode(JSON.parse((await runBinary(['completion', 'json'])).stdout))
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  const headings = [...page.matchAll(/^## (paysim .*)$/gm)].map(([, title]) => title)
  const commands = nodes.filter(({ commands }) => commands.length === 0)
  expect(headings.sort()).toEqual(commands.map(({ words }) => `paysim ${words.join(' ')}`).sort())
})
