import { fileURLToPath } from 'node:url'

/** The command line as it was built, for tests that start it as a process. */
export const BINARY = fileURLToPath(new URL('../../bin/paysim.js', import.meta.url))
