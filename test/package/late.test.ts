import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { BINARY } from '../support/paysim-binary.ts'

const LOADS = `
import { register } from 'node:module'
const hook = 'export const load = (url, context, next) => (process._rawDebug("loads " + url), next(url, context))'
register('data:text/javascript,' + encodeURIComponent(hook))
`

/** The files of the package that a command loads, without their hashes. */
function loadsOf(...args: string[]): string[] {
  const hook = `data:text/javascript,${encodeURIComponent(LOADS)}`
  const { stderr } = spawnSync(process.execPath, ['--import', hook, BINARY, ...args], { encoding: 'utf8' })
  return [...stderr.matchAll(/^loads .*\/(\w+)(?:-[\w-]{8})?\.js$/gm)].map(([, name = '']) => name)
}

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
  const list = 'process.on("exit", () => process._rawDebug(process.moduleLoadList.join("\\n")))'
  const hook = `data:text/javascript,${encodeURIComponent(list)}`
  const { stderr } = spawnSync(process.execPath, ['--import', hook, BINARY, '--help'], { encoding: 'utf8' })
  const loaded = stderr.split('\n')
  expect(loaded).toContain('NativeModule fs')
  expect(loaded).not.toContain('NativeModule crypto')
})
