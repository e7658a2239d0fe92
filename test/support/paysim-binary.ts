import module from 'node:module'
import { fileURLToPath } from 'node:url'

/** The command line as it was built, for tests that start it as a process. */
export const BINARY = fileURLToPath(new URL('../../bin/paysim.js', import.meta.url))

const keepsCompiled = 'enableCompileCache' in module

/** What Node is called with to run the command line. */
export const RUN_PAYSIM: readonly string[] = [
  ...(keepsCompiled ? [] : ['--require', fileURLToPath(new URL('keep-compiled.cjs', import.meta.url))]),
  BINARY,
]
