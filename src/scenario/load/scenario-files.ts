import { constants, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'

/**
 * A scenario may come from a stranger, and its files are sent to a gateway. So it can name only regular files below its
 * own folder, up to the size of an image.
 */

const MEBIBYTE = 1024 * 1024
const MOST_PICTURE_MIB = 16
const MOST_SCENARIO_MIB = 16

/** A file that a scenario may not use. The message comes after the file's name. */
export class FileRefusedError extends Error {}

/** The bytes of a file in a step. */
export async function readBelow(folder: string, file: string): Promise<Buffer> {
  const path = await realpath(resolve(folder, file)).catch(() => {
    throw new FileRefusedError('does not exist')
  })
  demandBelow(await realpath(folder), path)
  return readRegular(path, MOST_PICTURE_MIB, async opened => {
    // The path may have changed since it was resolved, so check the opened file.
    const [there, now] = [await stat(path), await realpath(resolve(folder, file))]
    const here = await opened.stat()
    if (now !== path || there.ino !== here.ino || there.dev !== here.dev)
      throw new FileRefusedError('changed while it was opened')
  })
}

/** The problem of a file in a step, if there is one that can be seen before it is read. */
export function problemBelow(folder: string, file: string): string | undefined {
  try {
    const path = realpathSync(resolve(folder, file))
    demandBelow(realpathSync(folder), path)
    demandRegular(statSync(path), MOST_PICTURE_MIB)
  } catch (cause) {
    return cause instanceof FileRefusedError ? `${cause.message}: ${file}` : `does not exist: ${file}`
  }
}

/** The text of a scenario file. */
export const readScenarioFile = async (file: string): Promise<string> =>
  (await readRegular(file, MOST_SCENARIO_MIB)).toString('utf8')

function demandBelow(folder: string, path: string): void {
  const way = relative(folder, path)
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(folder, way) !== path || way === '')
    throw new FileRefusedError('is not below the folder of the scenario')
}

function demandRegular(file: { isFile(): boolean; readonly size: number }, mostMiB: number): void {
  if (!file.isFile()) throw new FileRefusedError('is not a regular file')
  if (file.size > mostMiB * MEBIBYTE) throw new FileRefusedError(`is over ${mostMiB} MiB`)
}

/** Checks the opened file, not its name. */
async function readRegular(
  path: string,
  mostMiB: number,
  check?: (opened: FileHandle) => Promise<void>,
): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const opened = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    demandRegular(await opened.stat(), mostMiB)
    await check?.(opened)
    const chunks: Buffer[] = []
    let size = 0
    // The file may grow while it is read.
    for await (const chunk of opened.createReadStream({ autoClose: false })) {
      chunks.push(chunk)
      size += chunk.length
      if (size > mostMiB * MEBIBYTE) throw new FileRefusedError(`is over ${mostMiB} MiB`)
    }
    return Buffer.concat(chunks)
  } finally {
    await opened.close()
  }
}
