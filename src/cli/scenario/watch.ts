import { watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

/** Editors write a file in several steps: wait until it was unchanged for this long. */
const SETTLED_MS = 100
/** The files that a scenario consists of. Output of a run does not count, or the run would trigger itself forever. */
const SCENARIO_PART = /\.(ya?ml|png|jpe?g)$|\.scenario\.json$/
const IMAGE = /\.(png|jpe?g)$/

/** Runs `work` now and after each change of the files, one run at a time, until the process ends. */
export async function runOnChange(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  let changed = false
  let wake = () => {}
  const note = onceSettled(() => {
    changed = true
    wake()
  })
  for (const path of paths) await watchScenario(path, note)
  for (;;) {
    await work()
    process.stdout.write('Waiting for a change. Press Ctrl-C to stop.\n')
    await new Promise<void>(resolve => {
      wake = resolve
      if (changed) resolve()
    })
    changed = false
  }
}

/** Calls `onChange` after each change of one of the files. Does not keep the process running. */
export function watchFiles(paths: readonly string[], onChange: () => void): void {
  const note = onceSettled(onChange)
  for (const path of paths)
    watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === basename(path)) note()
    })
}

/** Watches a file through its folder, because many editors replace the file. */
async function watchScenario(path: string, note: () => void): Promise<void> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
  const watcher = watch(isFolder ? path : dirname(path), { recursive: isFolder })
  watcher.on('error', () => {})
  watcher.on('change', (_, name) => {
    const changed = String(name ?? '')
    if (isFolder ? SCENARIO_PART.test(changed) : changed === basename(path) || IMAGE.test(changed)) note()
  })
}

function onceSettled(callback: () => void): () => void {
  let settling: NodeJS.Timeout | undefined
  return () => {
    clearTimeout(settling)
    settling = setTimeout(callback, SETTLED_MS)
  }
}
