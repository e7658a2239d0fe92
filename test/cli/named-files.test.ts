import { execFile, execFileSync } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'
import { scratchDirectory } from '../support/gateway/serve-process.ts'
import { BINARY } from '../support/paysim-binary.ts'

/** A file that the user names may have no end, or nobody who writes to it. Nothing listens at the address. */
const ADDRESS = ['--base-url', 'http://127.0.0.1:9']
const KEYS = { PAYSIM_PUBLIC_KEY: 'pk', PAYSIM_SECRET_KEY: 'sk' }
const CONTROL = ['--control-url', 'http://127.0.0.1:9', '--control-token', 'a-token']
const SIGNED = ['--id', 'evt_1', '--timestamp', '1', '--signature', 'v1,x']
const SECRET = { PAYSIM_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}` }
const SERVE = ['serve', '--ephemeral', '--port', '0']

const OPENS_SOMETHING: [string, (file: string) => string[], NodeJS.ProcessEnv?][] = [
  ['serve --control-token-file', file => [...SERVE, '--control-token-file', file]],
  ['payouts list --key-file', file => ['payouts', 'list', ...ADDRESS, '--key-file', file]],
  [
    'webhooks verify --secret-file',
    file => ['webhooks', 'verify', ...SIGNED, '--body', 'x', '--secret-file', file],
  ],
]
const DOCUMENTS: typeof OPENS_SOMETHING = [
  ['serve --catalogue', file => [...SERVE, '--catalogue', file]],
  ['serve --contract', file => [...SERVE, '--contract', file]],
  ['payouts list --ca-file', file => ['payouts', 'list', ...ADDRESS, '--ca-file', file], KEYS],
  ['request --data', file => ['request', 'POST', '/x', ...ADDRESS, '--data', `@${file}`], KEYS],
  ['webhooks verify --body', file => ['webhooks', 'verify', ...SIGNED, '--body', file], SECRET],
  ['sim rules set', file => ['sim', 'rules', 'set', file, ...CONTROL]],
]

const runIn = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand(args, { cwd, env: { ...cleanEnvironment(cwd), ...env } })

const pipeIn = (directory: string) => {
  const pipe = join(directory, 'pipe')
  execFileSync('mkfifo', [pipe])
  return pipe
}

describe.skipIf(process.platform === 'win32')('a file that the user named', () => {
  test.each([...OPENS_SOMETHING, ...DOCUMENTS])(
    'is refused at once if it is a pipe or has no end: %s',
    async (_, args, env) => {
      const cwd = await scratchDirectory()
      for (const file of [pipeIn(cwd), '/dev/zero', cwd]) {
        const { code, stdout, stderr } = await runIn(cwd, args(file), env)
        expect([code, stdout], stderr).toEqual([2, ''])
        expect(stderr).toContain(file)
        expect(stderr).toContain('is not a regular file')
      }
    },
  )

  test('is refused if it is too large', async () => {
    const cwd = await scratchDirectory()
    const file = join(cwd, 'large')
    await writeFile(file, '', { mode: 0o600 })
    await truncate(file, 17 * 1024 * 1024)
    const cases = [
      ...OPENS_SOMETHING.map(one => [one, 'is over 256 KiB'] as const),
      ...DOCUMENTS.map(one => [one, 'is over 16 MiB'] as const),
    ]
    for (const [[, args, env], why] of cases) {
      const { code, stderr } = await runIn(cwd, args(file), env)
      expect([code, stderr]).toEqual([2, expect.stringMatching(why)])
    }
  })

  test.each(['sim import', 'sim assets upload'])('is refused if it is a pipe: %s', async words => {
    const cwd = await scratchDirectory()
    const pipe = pipeIn(cwd)
    const { code, stderr } = await runIn(cwd, [...words.split(' '), pipe, ...CONTROL])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${pipe} is not a file`)])
  })

  test('may be a pipe that the shell opened, such as for the output of a password manager', async () => {
    const cwd = await scratchDirectory()
    const line = `"${process.execPath}" "${BINARY}" payouts list ${ADDRESS.join(' ')} --key-file <(echo pk:sk)`
    const run = promisify(execFile)('bash', ['-c', line], { cwd, env: { ...process.env, HOME: cwd } })
    const failed = await run.catch(cause => cause)
    expect([failed.code, failed.stderr]).toEqual([7, expect.stringContaining('refused the connection')])
  })
})
