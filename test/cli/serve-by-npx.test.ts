import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { BINARY } from '../support/paysim-binary.ts'

/** A folder in which npx finds paysim without a download. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-npx-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true })
  await symlink(BINARY, join(folder, 'node_modules', '.bin', 'paysim'))
  await writeFile(join(folder, 'package.json'), '{"name":"shop","version":"1.0.0","private":true}')
  return folder
}

test.skipIf(process.platform === 'win32')('a server that npx started ends with it', async () => {
  const cwd = await installed()
  const npx = spawn('npx', ['--offline', 'paysim', 'serve', '--ephemeral', '--port', '0', '--json'], {
    cwd,
    env: { ...cleanEnvironment(cwd), PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  // It stays open as long as anybody may write to it: npx, its shell, and the server.
  const closed = once(npx.stdout, 'close')
  onTestFinished(() => {
    try {
      process.kill(-(npx.pid ?? 0), 'SIGKILL')
    } catch {
      // All of them have ended, as they should.
    }
  })
  for await (const line of createInterface(npx.stdout)) if (JSON.parse(line).event === 'ready') break
  npx.kill('SIGTERM')
  npx.stdout.resume()
  await closed
  expect(npx.exitCode ?? npx.signalCode).not.toBe(null)
})
