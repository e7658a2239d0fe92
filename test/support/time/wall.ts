import { renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'

/** The wall clock of a server that was started with `env`, controlled by the test. Timers do not notice its changes. */
export interface Wall {
  env: { NODE_OPTIONS: string }
  /** Moves the wall clock this far from the true time, as when a laptop was suspended or somebody sets the clock. */
  shift: (ms: number) => void
}

/** Loaded into the server before its own code: reads the offset of the wall clock whenever the time is read. */
const PRELOAD = `import { readFileSync } from 'node:fs'
const path = new URL('offset', import.meta.url)
const trueTime = Date.now
Date.now = () => trueTime() + Number(readFileSync(path, 'utf8'))
`

export async function aWall(): Promise<Wall> {
  const directory = await mkdtemp(join(tmpdir(), 'paysim-wall-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const shift = (ms: number) => {
    writeFileSync(join(directory, 'next'), String(ms))
    renameSync(join(directory, 'next'), join(directory, 'offset'))
  }
  shift(0)
  writeFileSync(join(directory, 'wall.mjs'), PRELOAD)
  return { env: { NODE_OPTIONS: `--import ${pathToFileURL(join(directory, 'wall.mjs'))}` }, shift }
}
