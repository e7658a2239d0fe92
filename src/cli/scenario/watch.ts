import { watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

/** Editors write a file in several strokes. */
const SETTLED_MS = 100
/** What a story is made of; not what a run writes, or one would never end. */
const STORY = /\.(ya?ml|png|jpe?g)$|\.scenario\.json$/

/** Runs now, and again after each change of the files, one run at a time; until the process is ended. */
export async function watchFiles(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  const changes = new Changes()
  for (const path of paths) await changes.follow(path)
  for (;;) {
    await work()
    process.stdout.write('Waiting for a change; Ctrl-C ends it.\n')
    await changes.next()
  }
}

class Changes {
  #changed = false
  #wake: () => void = () => {}
  #settling: NodeJS.Timeout | undefined

  /** A file by its folder: many editors put another file in its place. */
  async follow(path: string): Promise<void> {
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
    const watcher = watch(isFolder ? path : dirname(path), { recursive: isFolder })
    watcher.on('error', () => {})
    watcher.on('change', (_, name) => {
      const changed = String(name ?? '')
      if (isFolder ? STORY.test(changed) : changed === basename(path) || /\.(png|jpe?g)$/.test(changed))
        this.#note()
    })
  }

  #note(): void {
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#changed = true
      this.#wake()
    }, SETTLED_MS)
  }

  async next(): Promise<void> {
    await new Promise<void>(resolve => {
      this.#wake = resolve
      if (this.#changed) resolve()
    })
    this.#changed = false
  }
}
