import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readdir, rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LockHeldError, ProcessLock } from '../../src/engine/store/process-lock.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'

const newPath = async () => join(await temporaryDirectory(), 'lock')
const claimsAt = (path: string) => readdir(join(path, '..'))
const heldBy = (pid: number) => expect.objectContaining({ name: 'Error', pid })

test('only one holder at a time has the lock, and it leaves nothing behind', async () => {
  const path = await newPath()
  const first = await ProcessLock.take(path)
  await expect(ProcessLock.take(path)).rejects.toBeInstanceOf(LockHeldError)
  await expect(ProcessLock.take(path)).rejects.toEqual(heldBy(process.pid))
  expect(await claimsAt(path)).toHaveLength(1)
  await first.release()
  expect(await claimsAt(path)).toEqual([])
  await (await ProcessLock.take(path)).release()
})

test('many contenders get the lock one at a time, if they wait', async () => {
  const path = await newPath()
  let holders = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const lock = await ProcessLock.take(path, { patienceMs: 60_000 })
      most = Math.max(most, ++holders)
      await new Promise(setImmediate)
      holders--
      await lock.release()
    }),
  )
  expect(most).toBe(1)
})

test('a process that is gone does not hold the lock', async () => {
  const path = await newPath()
  await renamedClaim(path, { pid: spawnSync(process.execPath, ['-e', '']).pid })
  await (await ProcessLock.take(path)).release()
  expect(await claimsAt(path)).toEqual([])
})

test.skipIf(process.platform === 'win32')('a process with a reused id does not hold the lock', async () => {
  const path = await newPath()
  await renamedClaim(path, { start: '1' })
  await (await ProcessLock.take(path)).release()
  expect(await claimsAt(path)).toEqual([])
})

test('a process from before the machine started does not hold the lock', async () => {
  const path = await newPath()
  await renamedClaim(path, { boot: '00000000' })
  await (await ProcessLock.take(path)).release()
})

test('the lock stays with a process that cannot be seen, as long as it shows that it lives', async () => {
  const path = await newPath()
  const claim = await renamedClaim(path, { host: '00000000' })
  const touching = setInterval(() => utimes(claim, new Date(), new Date()), 100)
  onTestFinished(() => clearInterval(touching))
  await expect(ProcessLock.take(path)).rejects.toEqual(heldBy(process.pid))
  clearInterval(touching)
  await (await ProcessLock.take(path)).release()
})

/** What a holder leaves that was another process than this one: its claim, under a name with other parts. */
async function renamedClaim(
  path: string,
  change: { pid?: number; start?: string; boot?: string; host?: string },
): Promise<string> {
  const lock = await ProcessLock.take(path)
  const [name = ''] = await claimsAt(path)
  const [base, pid, start, namespace, boot, host, nth] = name.split('.')
  const parts = { pid, start, namespace, boot, host, nth, ...change }
  const renamed = join(path, '..', [base, ...Object.values(parts)].join('.'))
  await rename(join(path, '..', name), renamed)
  await lock.release()
  return renamed
}

describe.skipIf(process.platform === 'win32')('what is not a file', () => {
  /** A claim of this process, without a lock. */
  async function claimIn(directory: string): Promise<string> {
    const path = join(directory, 'lock')
    const lock = await ProcessLock.take(path)
    const [name = ''] = await readdir(directory)
    await lock.release()
    return join(directory, name)
  }

  test('with the name of a dead claim is refused, and the message says what to do', async () => {
    const directory = await temporaryDirectory()
    const dead = (await claimIn(directory)).replace(`lock.${process.pid}.`, 'lock.4194305.')
    await mkdir(dead)
    await expect(ProcessLock.take(join(directory, 'lock'))).rejects.toThrow(
      `${dead} is a directory, but paysim needs a file there: move it away`,
    )
  })

  test('with the name of a living claim does not block a start', async () => {
    const directory = await temporaryDirectory()
    execFileSync('mkfifo', [await claimIn(directory)])
    const path = join(directory, 'lock')
    await expect(ProcessLock.take(path)).rejects.toEqual(heldBy(process.pid))
  })
})
