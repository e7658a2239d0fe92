import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CodeBlock } from './code-blocks.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const installed = (path: string) => join(root, 'node_modules', path)
const node = (file: string, ...args: string[]) => [process.execPath, installed(file), ...args]
const paysimExec = (...command: string[]) => [
  process.execPath,
  join(root, 'bin/paysim.js'),
  'exec',
  '--',
  ...command,
]

/** How to run a block, or why that is not possible here. */
export type Runner =
  | { readonly command: readonly string[]; readonly files?: Readonly<Record<string, string>> }
  | { readonly missing: string }

export function runnerOf({ file, code }: CodeBlock): Runner {
  if (code.includes("from 'vitest'")) {
    const vitest = node('vitest/vitest.mjs', 'run', '--root', '.', '--testTimeout', '100000')
    return { command: code.includes('PAYSIM_CONTROL_URL') ? paysimExec(...vitest) : vitest }
  }
  if (code.includes("from 'node:test'")) return { command: [process.execPath, '--test', file] }
  if (code.includes("from '@jest/globals'")) return jest()
  throw new Error(`nothing is known that runs ${file}`)
}

function jest(): Runner {
  const [, bin = ''] = node('jest/bin/jest.js')
  if (!existsSync(bin)) return { missing: 'jest is not installed' }
  return {
    command: [process.execPath, '--experimental-vm-modules', bin],
    files: { 'package.json': '{"jest":{"transform":{}}}' },
  }
}

/** The compiler with the settings of a strict user of the package. */
export const compiler: Runner = {
  command: node('typescript/bin/tsc', '--project', '.'),
  files: {
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        lib: ['ES2023', 'ESNext.Disposable'],
        module: 'NodeNext',
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        noEmit: true,
      },
    }),
  },
}

/** Packages that the blocks import, and their folders. */
export const PACKAGES: Readonly<Record<string, string>> = {
  paysim: root,
  vitest: installed('vitest'),
  '@types/node': installed('@types/node'),
  '@jest/globals': installed('@jest/globals'),
}
