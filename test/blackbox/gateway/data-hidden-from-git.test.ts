import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../support/gateway/server.ts'

// Keys and customers' names do not end up in a repository by accident.

async function served(prepare: (root: string) => Promise<string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paysim-git-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const data = await prepare(root)
  const server = await startServer({ args: ['--data', data] })
  await server.stop()
  return join(data, '.gitignore')
}

test('a new data directory gets its own .gitignore, whatever its name', async () => {
  for (const name of ['.paysim', 'state'])
    expect(await readFile(await served(async root => join(root, name)), 'utf8')).toBe('*\n')
})

test('an existing data directory without .gitignore gets one too', async () => {
  const file = await served(async root => {
    const data = join(root, 'state')
    await (await startServer({ args: ['--data', data] })).stop()
    await rm(join(data, '.gitignore'))
    return data
  })
  expect(await readFile(file, 'utf8')).toBe('*\n')
})

test('a directory with other files gets no .gitignore, and an existing one stays unchanged', async () => {
  const among = await served(async root => {
    await writeFile(join(root, 'index.js'), '')
    return root
  })
  expect(existsSync(among)).toBe(false)
  const own = await served(async root => {
    await mkdir(join(root, '.paysim'))
    await writeFile(join(root, '.paysim/.gitignore'), 'journal.jsonl\n')
    return join(root, '.paysim')
  })
  expect(await readFile(own, 'utf8')).toBe('journal.jsonl\n')
})
