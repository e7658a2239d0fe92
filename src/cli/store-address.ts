import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StoreLocation } from '../engine/store/open-store.ts'
import { StartError } from '../engine/store/store-errors.ts'

interface StoreFlags {
  /** An address such as `file:./data`, `memory:` or `postgres://127.0.0.1/shop`. */
  readonly store?: string | undefined
  readonly data?: string | undefined
  readonly ephemeral?: boolean | undefined
}

const DEFAULT_DIRECTORY = './.paysim'

/** Where the flags of `serve` keep everything. A flag overrides the environment. */
export function storeIn({ store, data, ephemeral = false }: StoreFlags): StoreLocation {
  const other = data === undefined ? ephemeral && '--ephemeral' : '--data'
  if (store !== undefined && other) throw new StartError(`give --store or ${other}, not both`, 2)
  if (store !== undefined) return placeOf(store, '--store')
  if (ephemeral) return { dataDir: null }
  if (data !== undefined) return { dataDir: resolve(data) }
  if (process.env.PAYSIM_STORE) return placeOf(process.env.PAYSIM_STORE, 'PAYSIM_STORE')
  return { dataDir: resolve(process.env.PAYSIM_DATA || DEFAULT_DIRECTORY) }
}

/** What an address of a store means. `from` names where it was given. */
export function placeOf(address: string, from: string): StoreLocation {
  if (address === 'memory:') return { dataDir: null }
  if (/^postgres(ql)?:/i.test(address)) return { dataDir: null, database: address }
  const directory = directoryIn(address)
  if (directory !== undefined) return { dataDir: directory }
  // The address may contain a password, so the message has only its scheme.
  const scheme = /^[a-z]+:/i.exec(address)?.[0] ?? 'an address without a scheme'
  throw new StartError(`${from} has ${scheme}, but a store is file:DIR, memory: or postgres://…`, 2)
}

/** The directory of an address such as `file:./data`. */
export function directoryIn(address = ''): string | undefined {
  const [, directory] = /^file:(.+)$/.exec(address) ?? []
  if (directory === undefined) return undefined
  return directory.startsWith('//') ? fileURLToPath(address) : resolve(directory)
}

/** The address of a server as others reach it, such as behind a balancer or a tunnel. */
export function readOrigin(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin)
    throw new StartError(
      `${name} must be an origin, such as https://pay.example.com, without path or credentials`,
      2,
    )
  return url.origin
}
