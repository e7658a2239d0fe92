import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { noTerminal, openTerminal, type Terminal } from '../../support/cli/terminal.ts'

/** `paysim profile` as it talks to somebody. */

let terminal: Terminal
afterEach(() => terminal?.close())

const fileOf = ({ cwd }: { readonly cwd: string }) => join(cwd, 'paysim', 'profiles.json')
const kept = async (at: Terminal) => JSON.parse(await readFile(fileOf(at), 'utf8'))

describe.skipIf(noTerminal)('on a terminal', () => {
  test('add asks for missing values, and hides the secret key, also in the wrong place', async () => {
    terminal = await openTerminal(['profile', 'add', 'shop'])
    await terminal.waitFor('Base URL of the API:')
    await terminal.type('api.example')
    await terminal.press('Enter')
    await terminal.waitFor('absolute http or https URL')
    await terminal.press('C-u')
    await terminal.type('https://api.example')
    await terminal.press('Enter')
    await terminal.waitFor('Public key')
    await terminal.type('sk_test_abc')
    await terminal.press('Enter')
    await terminal.waitFor('This is the secret key.')
    expect(await terminal.capture()).not.toContain('sk_test_abc')
    await terminal.press('C-u')
    await terminal.type('pk_test_abc')
    await terminal.press('Enter')
    await terminal.waitFor('Secret key')
    await terminal.type('sk_test_abc')
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(0)
    const screen = await terminal.capture()
    expect(screen).not.toContain('sk_test_abc')
    expect(screen).toContain('Public key (pk_…): pk_test_abc')
    expect(await kept(terminal)).toMatchObject({
      current: 'shop',
      profiles: { shop: { public_key: 'pk_test_abc', secret_key: 'sk_test_abc' } },
    })
  })

  test('add keeps nothing when it is interrupted', async () => {
    terminal = await openTerminal(['profile', 'add', 'shop', '--base-url', 'https://api.example'])
    await terminal.waitFor('Public key')
    await terminal.press('C-c')
    expect(await terminal.exit()).toBe(130)
    expect(existsSync(fileOf(terminal))).toBe(false)
  })

  test.each([
    ['n', 2, ['shop']],
    ['y', 0, []],
  ] as const)('remove asks for confirmation: %s', async (answer, code, left) => {
    const cwd = await mkdtemp(join(tmpdir(), 'paysim-profile-'))
    onTestFinished(() => rm(cwd, { recursive: true, force: true }))
    await mkdir(join(cwd, 'paysim'), { mode: 0o700 })
    const shop = { base_url: 'https://api.example', public_key: 'pk_test_a', secret_key: 'sk_test_a' }
    await writeFile(fileOf({ cwd }), JSON.stringify({ current: 'shop', profiles: { shop } }), { mode: 0o600 })
    terminal = await openTerminal(['profile', 'remove', 'shop'], { cwd })
    await terminal.waitFor('Remove the profile shop')
    await terminal.type(answer)
    await terminal.press('Enter')
    expect(await terminal.exit()).toBe(code)
    expect(Object.keys((await kept(terminal)).profiles)).toEqual(left)
  })
})
