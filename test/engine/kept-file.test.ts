import { readdirSync } from 'node:fs'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KeptFile } from '../../src/engine/journal/journal-file.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'

/** More than stay open. */
const MANY = 600
const openFiles = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)

async function manyFiles() {
  const folder = await temporaryDirectory()
  const before = openFiles()
  const paths = Array.from({ length: MANY }, (_, nth) => join(folder, `${nth}`))
  const files: KeptFile[] = []
  for (const path of paths) files.push(await KeptFile.open(path))
  const closeAll = () => Promise.all(files.map(file => file.close()))
  return { files, paths, opened: openFiles() - before, closeAll }
}

test('only some of many unused files stay open, and all of them remain usable', async () => {
  const { files, paths, opened, closeAll } = await manyFiles()
  expect(opened).toBeLessThan(MANY)
  for (const round of [1, 2])
    await Promise.all(files.map((file, nth) => file.use(handle => handle.appendFile(`${nth}.${round} `))))
  for (const [nth, path] of paths.entries()) expect(await readFile(path, 'utf8')).toBe(`${nth}.1 ${nth}.2 `)
  await closeAll()
})

test('a held file stays open, whatever is opened meanwhile', async () => {
  const folder = await temporaryDirectory()
  const file = await KeptFile.open(join(folder, 'held'))
  const handle = await file.hold()
  const { closeAll } = await manyFiles()
  await handle.appendFile('written')
  file.release()
  expect(await readFile(join(folder, 'held'), 'utf8')).toBe('written')
  await Promise.all([file.close(), closeAll()])
})

test('a closed file is not reopened if it was replaced or removed', async () => {
  const { files, paths, closeAll } = await manyFiles()
  const [replaced = '', removed = ''] = paths
  await writeFile(`${replaced}.new`, 'of somebody else', { mode: 0o600 })
  await rename(`${replaced}.new`, replaced)
  await rename(removed, `${removed}.old`)
  const append = (nth: number) => files[nth]?.use(handle => handle.appendFile('mine'))
  await expect(append(0)).rejects.toThrow(`${replaced} is damaged: another file has taken its place`)
  await expect(append(1)).rejects.toThrow('ENOENT')
  expect(await readFile(replaced, 'utf8')).toBe('of somebody else')
  await expect(stat(removed)).rejects.toThrow('ENOENT')
  // It is the same file again.
  await rename(`${removed}.old`, removed)
  await append(1)
  expect(await readFile(removed, 'utf8')).toBe('mine')
  await closeAll()
})
