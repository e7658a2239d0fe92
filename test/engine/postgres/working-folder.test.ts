import { spawnSync } from 'node:child_process'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeWorkingFolder } from '../../../src/engine/postgres/database-store.ts'
import { temporaryDirectory } from '../../support/engine/temporary-directory.ts'

test('the folders of killed processes are removed, and no others', async () => {
  const parent = await temporaryDirectory()
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const others = [`paysim-store-${process.ppid}-abc`, `paysim-${gone}-abc`, 'paysim-store-notes']
  for (const name of [...others, `paysim-store-${gone}-abc`])
    await mkdir(join(parent, name, 'acme.test-1'), { recursive: true })
  const own = await makeWorkingFolder(parent)
  expect((await readdir(parent)).sort()).toEqual([...others, basename(own)].sort())
  expect((await stat(own)).mode & 0o777).toBe(0o700)
})
