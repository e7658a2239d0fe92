import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { BINARY } from '../support/paysim-binary.ts'

/** What a command loads, printed line by line when it ends. */
function printedAtExit(lines: string, args: readonly string[]): string[] {
  const script = `import { createRequire } from 'node:module'
    process.on('exit', () => { for (const line of ${lines}) process._rawDebug(line) })`
  const hook = `data:text/javascript,${encodeURIComponent(script)}`
  return spawnSync(process.execPath, ['--import', hook, BINARY, ...args], {
    encoding: 'utf8',
  }).stderr.split('\n')
}

/** The files of the package that a command loads, without their hashes. */
const loadsOf = (...args: string[]) =>
  printedAtExit(`Object.keys(createRequire('/').cache)`, args).flatMap(
    line => /([\w-]+?)(?:-[\w-]{8})?\.c?js$/.exec(line)?.[1] ?? [],
  )

test('a version is printed without loading a module', () => {
  expect(loadsOf('--version')).toEqual(['paysim'])
})

test('a call of a merchant loads nothing of the server', () => {
  const files = loadsOf(
    'payments',
    'get',
    'pi_1',
    '--base-url',
    'http://127.0.0.1:9',
    '--public-key',
    'pk_test_1',
  )
  expect(files).toContain('call')
  expect(files).not.toContain('server')
  expect(files).not.toContain('contract')
})

test('a server loads nothing of the commands that call one', () => {
  const files = loadsOf('serve', '--json', '--watch')
  expect(files).toContain('server')
  expect(files).not.toContain('call')
  expect(files).not.toContain('client')
})

test('help is printed without the cryptography of Node, which is a tenth of that start', () => {
  const loaded = printedAtExit('process.moduleLoadList', ['--help'])
  expect(loaded).toContain('NativeModule fs')
  expect(loaded).not.toContain('NativeModule crypto')
})

test('a call of a merchant loads nothing of Node that starts other programs', () => {
  const loaded = printedAtExit('process.moduleLoadList', ['payments', 'get', '--help'])
  expect(loaded).toContain('NativeModule fs')
  expect(loaded).not.toContain('NativeModule child_process')
})
