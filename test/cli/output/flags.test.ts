import { Command, CommanderError } from 'commander'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type OutputFlags, outputFlags } from '../../../src/cli/output/formats.ts'

beforeEach(() => void vi.stubEnv('PAYSIM_OUTPUT', undefined))
afterEach(() => void vi.unstubAllEnvs())

function parsed(...words: string[]): OutputFlags {
  const command = outputFlags(new Command('paysim').exitOverride().configureOutput({ writeErr: () => {} }))
  return command.parse(words, { from: 'user' }).opts()
}

test('the output is human by default; a flag beats the environment', () => {
  expect(parsed()).toEqual({ output: 'human', color: true })
  vi.stubEnv('PAYSIM_OUTPUT', 'yaml')
  expect(parsed().output).toBe('yaml')
  expect(parsed('-o', 'csv').output).toBe('csv')
})

test('--query takes a path, and --no-color turns colours off', () => {
  expect(parsed('--query', 'data[].id', '--no-color')).toMatchObject({ query: 'data[].id', color: false })
})

test.each([
  [['-o', 'jsno'], 'Did you mean json?'],
  [['-o', 'xml-and-more'], 'Allowed choices are human, json, jsonl, yaml, csv.'],
  [['--query', 'data['], '\n  data[\n      ^'],
])('%j is a usage error', (words, hint) => {
  expect(() => parsed(...words)).toThrow(CommanderError)
  expect(() => parsed(...words)).toThrow(hint)
})

test('the environment variable is checked in the same way', () => {
  vi.stubEnv('PAYSIM_OUTPUT', 'cvs')
  expect(() => parsed()).toThrow('Did you mean csv?')
})
