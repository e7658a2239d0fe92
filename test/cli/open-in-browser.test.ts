import { ChildProcess } from 'node:child_process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPageOf } from '../../src/cli/open-in-browser.ts'

/** What a program was started with, for each that was. */
function started(): string[][] {
  const all: string[][] = []
  const spy = vi.spyOn(ChildProcess.prototype, 'spawn' as 'kill').mockImplementation(((options: {
    args: string[]
  }) => {
    all.push(options.args)
    throw new Error('not in a test')
  }) as never)
  onTestFinished(() => spy.mockRestore())
  return all
}

const SERVER = 'http://127.0.0.1:7297/_paysim'

test.each([
  'file:///etc/passwd',
  '/etc/passwd',
  '--help',
  'ssh://x -oProxyCommand=touch%20x',
  'http://127.0.0.1:7298/_paysim/dashboard/',
  'https://127.0.0.1:7297/_paysim/dashboard/',
  'http://127.0.0.1:7297@elsewhere.example/',
  'http:\\\\elsewhere.example/',
  ' http://127.0.0.1:7297/x',
  '',
])('a link of a server that leads elsewhere starts nothing: %s', async address => {
  const programs = started()
  const said: string[] = []
  await openPageOf(SERVER, address, message => said.push(message))
  expect(programs).toEqual([])
  expect(said).toEqual(['the link is not opened: it does not lead to http://127.0.0.1:7297, which sent it'])
})

test('a link to the server itself is opened', async () => {
  const programs = started()
  await openPageOf(SERVER, 'http://127.0.0.1:7297/_paysim/dashboard/links/abc', () => {})
  expect(programs.flat().join(' ')).toContain('http://127.0.0.1:7297/_paysim/dashboard/links/abc')
})
