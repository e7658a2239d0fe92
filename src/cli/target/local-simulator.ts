import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** What a running simulator says of itself in its data directory. */
export interface LocalSimulator {
  readonly url: string
  readonly control_url: string
  readonly control_token: string
  readonly accounts: readonly {
    readonly id: string
    readonly environment: string
    readonly public_key: string
    readonly secret_key: string
  }[]
}

export const dataDirectory = (): string => resolve(process.env.PAYSIM_DATA || '.paysim')

/** The simulator that serves this directory, if one does. */
export async function findLocalSimulator(): Promise<LocalSimulator | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDirectory(), 'server.json'), 'utf8'))
  } catch {
    return undefined
  }
}
