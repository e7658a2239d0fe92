import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runBinary } from '../../support/gateway/server.ts'

interface Node {
  words: string[]
  commands: Node[]
}

const everyNode = (node: Node): Node[] => [node, ...node.commands.flatMap(everyNode)]

/** Every group, and the first command of each: what the commands say themselves is looked at without the binary. */
const sample = (nodes: Node[]) =>
  nodes.flatMap(node => {
    const first = node.commands.find(({ commands }) => commands.length === 0)
    return node.commands.length === 0 ? [] : [node, ...(first ? [first] : [])]
  })

test('groups and commands have help', { timeout: 120_000 }, async () => {
  const left = sample(everyNode(JSON.parse((await runBinary(['completion', 'json'])).stdout)))
  expect(left.length).toBeGreaterThan(10)
  const wrong: string[] = []
  const worker = async () => {
    for (let node = left.pop(); node; node = left.pop()) {
      const { code, stdout, stderr } = await runBinary([...node.words, '--help'])
      const shows = /^Usage: /m.test(stdout) && (node.commands.length > 0 || /^Examples:$/m.test(stdout))
      if (code !== 0 || stderr !== '' || !shows) wrong.push(`${node.words.join(' ')}: ${code} ${stderr}`)
    }
  }
  await Promise.all([worker(), worker()])
  expect(wrong).toEqual([])
})

test('docs/cli.md has a page for each command', async () => {
  const nodes = everyNode(JSON.parse((await runBinary(['completion', 'json'])).stdout))
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  const headings = [...page.matchAll(/^## (paysim .*)$/gm)].map(([, title]) => title)
  const commands = nodes.filter(({ commands }) => commands.length === 0)
  expect(headings.sort()).toEqual(commands.map(({ words }) => `paysim ${words.join(' ')}`).sort())
})
