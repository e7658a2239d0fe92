import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchDirectory, serveIn, serveUntilExit } from '../../support/gateway/serve-process.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'

const server = fileServer()
const LONG = 'a-token-of-27-characters-ab'

const health = (url: string, token: string) =>
  fetch(`${url}/merchants`, { headers: { authorization: `Bearer ${token}` } })

describe('a server does not start', () => {
  const local = ['--ephemeral', '--port', '0']
  const everywhere = [...local, '--host', '0.0.0.0']
  test.each<[string, string[], RegExp]>([
    ['with an empty control token', [...local, '--control-token', ''], /0 characters.* at least 8/],
    ['with one of 7 characters', [...local, '--control-token', '1234567'], /at least 8/],
    [
      'with one that is not valid in a header',
      [...local, '--control-token', 'trailing-space '],
      /without a space/,
    ],
    ['open to the network without one', everywhere, /0\.0\.0\.0.*--control-token-file/],
    ['open to the network by ::', [...local, '--host', '::'], /--control-token-file/],
    [
      'open to the network with 15 characters',
      [...everywhere, '--control-token', '123456789012345'],
      /at least 16/,
    ],
    [
      'with a token in both ways',
      [...local, '--control-token', LONG, '--control-token-file', 'x'],
      /not both/,
    ],
    [
      'with a file that is not there',
      [...local, '--control-token-file', 'not-there'],
      /cannot read not-there \(--control-token-file\)/,
    ],
  ])('%s', async (_, args, names) => {
    const { code, stdout, stderr } = await serveUntilExit(['--json', ...args])
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(names)
  })
})

test('a server on 0.0.0.0 accepts a token from a file', async () => {
  const directory = await scratchDirectory()
  const file = join(directory, 'token')
  await writeFile(file, `${LONG}\n`)
  const args = ['--ephemeral', '--port', '0', '--host', '0.0.0.0', '--control-token-file', file]
  const { ready } = await serveIn(directory, args)
  expect(ready.control_token).toBe(LONG)
  expect((await health(ready.control_url, LONG)).status).toBe(200)
})

test('a server on 0.0.0.0 makes a token, if it can keep it in its data directory', async () => {
  const directory = await scratchDirectory()
  const args = ['--data', 'data', '--port', '0', '--host', '0.0.0.0']
  const first = await serveIn(directory, args)
  expect(first.ready.control_token).toMatch(/^[\w-]{32}$/)
  await first.stop()
  const { ready } = await serveIn(directory, args)
  expect(ready.control_token).toBe(first.ready.control_token)
  expect((await health(ready.control_url, ready.control_token)).status).toBe(200)
})

describe('a server warns', () => {
  const started = async (args: string[], mode = 0o600) => {
    const file = join(await scratchDirectory(), 'token')
    await writeFile(file, LONG, { mode })
    const server = await ownServer({ args: [...args, '--control-token-file', file] })
    await server.stop()
    return { server, file, stderr: server.stderr() }
  }

  test('of what the network can reach, if it can', async () => {
    const { server, stderr } = await started(['--host', '0.0.0.0'])
    expect(stderr).toMatch(/^paysim: other machines can reach this server at .*control token.*\n$/)
    expect(stderr).toContain(`at ${server.url}: `)
    expect(stderr).toContain(`, at ${server.controlUrl}\n`)
    expect((await started([])).stderr).toBe('')
  })

  test.skipIf(process.platform === 'win32')('of a token that other users can read', async () => {
    const { file, stderr } = await started([], 0o644)
    expect(stderr).toBe(`paysim: other users can read ${file}, which has a secret: run chmod 600 on it\n`)
  })
})

describe('a page of another site', () => {
  test.each(['http://evil.example', 'http://127.0.0.1:1', 'null', 'file://', 'chrome-extension://abc'])(
    'with origin %s is refused despite the right token, on the stream too',
    async origin => {
      for (const path of ['/merchants', '/accounts/default.test/stream', '/health', '/nowhere']) {
        const answer = await server().control('GET', path, { headers: { origin } })
        expect([path, answer.status]).toEqual([path, 403])
      }
    },
  )

  test("is distinguished from the server's own", async () => {
    const { origin } = new URL(server().url)
    expect((await server().control('GET', '/merchants', { headers: { origin } })).status).toBe(200)
  })
})
