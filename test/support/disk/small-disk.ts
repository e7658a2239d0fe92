import { execFileSync } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

interface SmallDisk {
  dataDir: string
  /** Leaves no free space, or this many free blocks. */
  fill: (free?: number) => void
  empty: () => void
}

const mount = (directory: string, size: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'pipe' })
const unmount = (directory: string) => execFileSync('umount', ['-l', directory], { stdio: 'pipe' })

/** Why a small disk is not available here; undefined if it is. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return `no tmpfs on ${process.platform}`
  const directory = mkdtempSync(join(tmpdir(), 'paysim-disk-'))
  try {
    mount(directory, '64k')
    unmount(directory)
    return undefined
  } catch (error) {
    return `mounting a tmpfs is not permitted: ${String(error).split('\n')[0]}`
  } finally {
    rmdirSync(directory)
  }
}

/** A disk of a few megabytes, for one test. */
export function openSmallDisk(size = '4m'): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'paysim-disk-'))
  mount(directory, size)
  onTestFinished(() => {
    unmount(directory)
    rmdirSync(directory)
  })
  const dataDir = join(directory, 'data')
  mkdirSync(dataDir)
  const ballast = join(directory, 'ballast')
  return { dataDir, fill: (free = 0) => fillWith(ballast, free), empty: () => rmSync(ballast) }
}

const BLOCK = 4096

function fillWith(path: string, free: number): void {
  const file = openSync(path, 'a')
  for (const size of [16 * BLOCK, BLOCK, 1]) {
    const block = Buffer.alloc(size)
    for (;;) {
      try {
        if (writeSync(file, block) < size) break
      } catch {
        break
      }
    }
  }
  if (free > 0) ftruncateSync(file, fstatSync(file).size - free * BLOCK)
  closeSync(file)
}
