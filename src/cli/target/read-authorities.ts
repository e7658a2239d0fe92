import { readFile } from 'node:fs/promises'
import { UsageError } from '../errors/usage-error.ts'

/** Authorities to trust, as PEM, of `--ca-file`. */
export async function readAuthorities(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch(cause => {
    throw new UsageError(`--ca-file ${path} cannot be read: ${cause.message}`)
  })
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`--ca-file ${path} holds no certificate as PEM`)
  return pem
}
