import { UsageError } from '../errors/cli-errors.ts'
import { cannotRead, textOfFile } from '../named-file.ts'

/** Reads the certificate authorities of `--ca-file`, in PEM format. */
export async function readAuthorities(path: string): Promise<string> {
  const pem = await textOfFile(path).catch(cannotRead(path, '--ca-file'))
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`${path} (--ca-file) contains no certificate in PEM format`)
  return pem
}
