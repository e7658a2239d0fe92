import { fileURLToPath } from 'node:url'

/** A file of the package. This module, and the bundle that contains it, are one level below the root. */
export const packageFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
