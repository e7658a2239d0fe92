import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../engine/start-error.ts'

interface StoreFlags {
  /** An address such as `file:./data` or `memory:`. */
  readonly store?: string | undefined
  readonly data?: string | undefined
  readonly ephemeral?: boolean | undefined
}

const DEFAULT_DIRECTORY = './.paysim'

/** The data directory that the flags of `serve` mean; null keeps everything in memory. A flag overrides the environment. */
export function storeIn({ store, data, ephemeral = false }: StoreFlags): string | null {
  const other = data === undefined ? ephemeral && '--ephemeral' : '--data'
  if (store !== undefined && other) throw new StartError(`give --store or ${other}, not both`, 2)
  if (store !== undefined) return directoryOf(store, '--store')
  if (ephemeral) return null
  if (data !== undefined) return resolve(data)
  if (process.env.PAYSIM_STORE) return directoryOf(process.env.PAYSIM_STORE, 'PAYSIM_STORE')
  return resolve(process.env.PAYSIM_DATA || DEFAULT_DIRECTORY)
}

function directoryOf(address: string, from: string): string | null {
  if (address === 'memory:') return null
  const directory = directoryIn(address)
  if (directory !== undefined) return directory
  // It may have a password.
  const scheme = /^[a-z]+:/i.exec(address)?.[0] ?? 'an address without a scheme'
  throw new StartError(`${from} has ${scheme}, but a store is file:DIR or memory:`, 2)
}

/** The directory of an address such as `file:./data`. */
export function directoryIn(address = ''): string | undefined {
  const [, directory] = /^file:(.+)$/.exec(address) ?? []
  if (directory === undefined) return undefined
  return directory.startsWith('//') ? fileURLToPath(address) : resolve(directory)
}

/** The address that payers and merchants use, as behind a balancer or a tunnel. */
export function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin)
    throw new StartError(
      `the public URL must be an origin, such as https://pay.example.com, without path or credentials`,
      2,
    )
  return url.origin
}
