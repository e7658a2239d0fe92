import { expect, onTestFinished, test } from 'vitest'
import { valueOfYaml as parse } from '../../src/files/yaml-document.ts'
import { readScenario, ScenarioError } from '../../src/scenario/index.ts'

const block = (count: number) => Array.from({ length: count }, (_, at) => `  k${at}: 1`).join('\n')

const problemsOf = (text: string) =>
  readScenario(text, { file: 'a.yaml', folder: import.meta.dirname }).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ScenarioError) return error.problems
      throw error
    },
  )

/** The processor time for a text with so many keys in one map: the least of three, because others use the machine too. */
function timeFor(count: number): number {
  const text = `a:\n${block(count)}\n`
  const times = Array.from({ length: 3 }, () => {
    const from = process.cpuUsage()
    parse(text)
    const { user, system } = process.cpuUsage(from)
    return user + system
  })
  return Math.min(...times)
}

test('four times the keys take about four times as long, and not sixteen times', () => {
  timeFor(1000)
  expect(timeFor(20_000) / timeFor(5000)).toBeLessThan(10)
})

test('a repeated key is reported with its place', async () => {
  const [problem] = await problemsOf(`paysim: 1\nname: x\nlet:\n${block(50)}\n  k7: 2\n`)
  expect(problem).toMatchObject({ line: 54, column: 3, message: 'Map keys must be unique' })
  expect(() => parse(`a: 1\nb: { c: 1, c: 2 }\n`)).toThrow('Map keys must be unique at line 2, column 12')
})

test('a key that is a list causes no warning from Node', async () => {
  const warnings: Error[] = []
  const keep = (warning: Error) => warnings.push(warning)
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  expect(parse('? [a]\n: 1\n')).toEqual({ '[ a ]': 1 })
  // Node emits warnings in a later tick.
  await new Promise(resolve => setImmediate(resolve))
  expect(warnings).toEqual([])
})

test.each([
  ['flow lists', '['.repeat(20_000)],
  ['lists', '- '.repeat(20_000)],
  ['maps', '? '.repeat(20_000)],
])('%s nested 20,000 times are one plain problem', async (_, text) => {
  expect(await problemsOf(text)).toMatchObject([{ line: 1, message: 'This is nested too deeply' }])
})

test('YAML that is nested less deeply is read', () => {
  expect(parse(`${'['.repeat(400)}1${']'.repeat(400)}`)).toEqual([expect.anything()])
})

test('a second document is reported where it begins', async () => {
  expect(await problemsOf('paysim: 1\nname: x\n---\npaysim: 1\n')).toMatchObject([
    { line: 3, column: 1, message: 'A second document begins here: a file has one' },
  ])
})
