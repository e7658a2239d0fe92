import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BINARY } from '../support/paysim-binary.ts'

/** What a command has loaded when it ends. */
function loadedAtExit(list: string, args: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-late-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [hook, loaded] = [join(folder, 'hook.cjs'), join(folder, 'loaded.json')]
  const keep = `require('node:fs').writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(${list}))`
  writeFileSync(hook, `process.on('exit', () => ${keep})`)
  const env = { ...process.env, PAYSIM_PUBLIC_KEY: 'pk_test_1', PAYSIM_SECRET_KEY: 'sk_test_1' }
  spawnSync(process.execPath, ['--require', hook, BINARY, ...args], { env })
  return JSON.parse(readFileSync(loaded, 'utf8')).filter((name: string) => name !== hook)
}

/** The files of the package that a command loads, without their hashes. */
const loadsOf = (...args: string[]) =>
  loadedAtExit('Object.keys(require.cache)', args).flatMap(
    line => /([\w-]+?)(?:-[\w-]{8})?\.c?js$/.exec(line)?.[1] ?? [],
  )

/** Nobody listens there. */
const CALL = ['payments', 'get', 'pi_1', '--base-url', 'http://127.0.0.1:9']

test('a version is printed without loading a module', () => {
  expect(loadsOf('--version')).toEqual(['paysim'])
})

test('a call of a merchant loads nothing of the server', () => {
  const files = loadsOf(...CALL)
  expect(files).toContain('create-client')
  expect(files).not.toContain('simulator')
  expect(files).not.toContain('open-store')
  expect(files).not.toContain('ajv')
})

test('a server in memory loads nothing of the commands that call one, of files or of the validator', () => {
  const files = loadsOf('serve', '--ephemeral', '--json', '--watch')
  expect(files).toContain('simulator')
  expect(files).not.toContain('create-client')
  expect(files).not.toContain('data-directory')
  expect(files).not.toContain('ajv')
})

test('help is printed without loading the cryptography of Node', () => {
  const loaded = loadedAtExit('process.moduleLoadList', ['--help'])
  expect(loaded).toContain('NativeModule fs')
  expect(loaded).not.toContain('NativeModule crypto')
})

test('a call of a merchant does not load what Node needs for ECMAScript modules', ({ skip }) => {
  const MODULE = 'NativeModule internal/modules/esm/translators'
  if (loadedAtExit('process.moduleLoadList', ['--version']).includes(MODULE))
    skip('this Node loads it for every program')
  const loaded = loadedAtExit('process.moduleLoadList', CALL)
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toContain(MODULE)
})
