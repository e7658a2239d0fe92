import { realpathSync, statSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { demandRegular, FileRefusedError, MEBIBYTE, readRegular } from '../../files/regular-file.ts'
import type { Scenario } from '../schema/file.ts'

/**
 * A scenario may come from a stranger, and its files are sent to a gateway. So it can name only regular files below its
 * own folder, up to the size of an image.
 */

const MOST_OF_PICTURE = 16 * MEBIBYTE
const MOST_OF_SCENARIO = 16 * MEBIBYTE

/** The folder of a scenario that names a file or a program. */
export function folderOf({ folder }: Pick<Scenario, 'folder'>): string {
  if (folder === null)
    throw new FileRefusedError('is out of reach: this scenario came as a text, without a file')
  return folder
}

/** The bytes of a file in a step. */
export async function readBelow(folder: string, file: string): Promise<Buffer> {
  const path = await realpath(resolve(folder, file)).catch(() => {
    throw new FileRefusedError('does not exist')
  })
  demandBelow(await realpath(folder), path)
  return readRegular(path, {
    most: MOST_OF_PICTURE,
    check: async here => {
      // The path may have changed since it was resolved, so check the opened file.
      const [there, now] = [await stat(path), await realpath(resolve(folder, file))]
      if (now !== path || there.ino !== here.ino || there.dev !== here.dev)
        throw new FileRefusedError('changed while it was opened')
    },
  })
}

/** The problem of a file in a step, if there is one that can be seen before it is read. */
export function problemBelow(folder: string, file: string): string | undefined {
  try {
    const path = realpathSync(resolve(folder, file))
    demandBelow(realpathSync(folder), path)
    demandRegular(statSync(path), { most: MOST_OF_PICTURE })
  } catch (cause) {
    return cause instanceof FileRefusedError ? `${cause.message}: ${file}` : `does not exist: ${file}`
  }
}

/** The text of a scenario file. */
export const readScenarioFile = async (file: string): Promise<string> =>
  (await readRegular(file, { most: MOST_OF_SCENARIO })).toString('utf8')

function demandBelow(folder: string, path: string): void {
  const way = relative(folder, path)
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(folder, way) !== path || way === '')
    throw new FileRefusedError('is not below the folder of the scenario')
}
