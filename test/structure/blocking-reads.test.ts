import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesBelow } from '../support/structure/files-below.ts'

/**
 * While a file is read synchronously, no call is answered. These are all the places of the server where that happens: one more
 * needs a reason, and one that is gone goes from here too.
 */
const KNOWN: Record<string, string> = {
  'src/engine/checkpoint/layer.ts: readSync': 'a record that is not in memory',
  'src/engine/postgres/checkpoint-copy.ts: inflateSync': 'such a record, in a chunk that is still packed',
  'src/engine/postgres/checkpoint-copy.ts: readSync': 'such a record, in a chunk that is still packed',
  'src/engine/store/data-directory.ts: existsSync': 'a start looks what there is',
  'src/engine/store/process-lock.ts: readFileSync': 'a start asks the system who holds the lock',
  'src/engine/store/process-lock.ts: readlinkSync': 'a start asks the system who holds the lock',
  'src/engine/store/process-lock.ts: execFileSync': 'a start asks the system who holds the lock',
  'src/engine/store/seal.ts: lstatSync': 'a start compares the sizes of very many files',
}

test('the server reads files synchronously only in the known places', () => {
  const found = filesBelow('src')
    .filter(path => /^src\/(contract|domain|engine|files|server)\//.test(path))
    .flatMap(path =>
      [...readFileSync(path, 'utf8').matchAll(/\b((?:read|l?stat|exists|inflate|exec)\w*Sync)\(/g)].map(
        ([, name]) => `${path}: ${name}`,
      ),
    )
  expect([...new Set(found)].sort()).toEqual(Object.keys(KNOWN).sort())
})
