import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

/** Which of these functions and classes are in what a command loads. Minified code keeps their names. */
function definedBy(args: readonly string[], ...names: string[]): string[] {
  const text = loadedAtExit('Object.keys(require.cache)', args)
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  return names.filter(name => new RegExp(`(class|function) ${name}\\b|\\b${name}=class\\b`).test(text))
}

/** Nobody listens there. */
const CALL = ['payments', 'get', 'pi_1', '--base-url', 'http://127.0.0.1:9']
/** It is refused as soon as everything for a start is loaded. */
const SERVE = ['serve', '--ephemeral', '--json', '--watch']

test('a version is printed without loading a module', () => {
  expect(loadsOf('--version')).toEqual(['paysim'])
})

test('a call of a merchant loads nothing of the server, of the control surface or of terminals', () => {
  const late = ['Gateway', 'App', 'ControlClient', 'createSupportsColor', 'resolveContract']
  const call = [...CALL, '--dry-run']
  expect(definedBy(call, 'Caller', ...late)).toEqual(['Caller'])
  expect(loadsOf(...call)).not.toContain('qr')
})

test('a run whose files have no problem loads nothing that finds positions in YAML', () => {
  const run = ['run', 'scenarios/expiry.yaml']
  expect(loadsOf(...run)).toContain('run')
  expect(loadsOf(...run)).not.toContain('yaml')
})

test('a server in memory loads what it needs before it is ready, and no more', () => {
  const late = ['ControlClient', 'DataDirectory', 'controlSurface', 'whyCalls', 'layout']
  expect(definedBy(SERVE, 'Gateway', 'App', ...late)).toEqual(['Gateway', 'App'])
  expect(loadsOf(...SERVE)).not.toContain('qr')
})

test.each([
  ['help', ['--help']],
  ['a call', [...CALL, '--dry-run']],
  ['a server', SERVE],
])('%s loads few files, because each takes as long as ten kilobytes of code', (_, args) => {
  expect(loadsOf(...args).length).toBeLessThanOrEqual(12)
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

test('all pages together have at most 300 KB of script', () => {
  const scripts = readdirSync('dist/web', { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.js'),
  )
  expect(scripts).toEqual(expect.arrayContaining(['checkout/main.js', 'dashboard/main.js']))
  const bytes = scripts.reduce((sum, name) => sum + statSync(join('dist/web', name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(300_000)
})
