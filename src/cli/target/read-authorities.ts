import { readFile } from 'node:fs/promises'
import { UsageFault } from '../faults/usage-fault.ts'

/** Authorities to trust, as PEM, of `--ca-file`. */
export async function readAuthorities(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch(cause => {
    throw new UsageFault(`--ca-file ${path} cannot be read: ${cause.message}`)
  })
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageFault(`--ca-file ${path} holds no certificate as PEM`)
  return pem
}
