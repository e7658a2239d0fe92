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

test('help is printed without loading the cryptography of Node', () => {
  const loaded = loadedAtExit('process.moduleLoadList', ['--help'])
  expect(loaded).toContain('NativeModule fs')
  expect(loaded).not.toContain('NativeModule crypto')
})

test('a server in memory starts without what only files need', () => {
  const loaded = loadedAtExit('process.moduleLoadList', ['serve', '--ephemeral', '--json', '--watch'])
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toContain('NativeModule internal/fs/promises')
})

test.for([
  ['that starts other programs', 'child_process'],
  ['that loads ECMAScript modules', 'internal/modules/esm/translators'],
])('a call of a merchant loads nothing of Node %s', ([, module], { skip }) => {
  const atAnyStart = loadedAtExit('process.moduleLoadList', ['--version'])
  if (atAnyStart.includes(`NativeModule ${module}`)) skip('this Node loads it for every program')
  const loaded = loadedAtExit('process.moduleLoadList', CALL)
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toContain(`NativeModule ${module}`)
})
