import { fileURLToPath } from 'node:url'

/** A file that ships with the package. This module, and the bundle it ends up in, lie one level below the root. */
export const packageFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
