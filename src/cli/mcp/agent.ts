import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ControlClient } from '../../client/control-client.ts'
import type { Keys } from '../../client/credentials.ts'
import { shellQuoted } from '../../contract/shell-words.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { accountNamed } from '../target/local-simulator.ts'

/** Where the simulator is. */
export interface Place {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
}

/** What a tool uses. */
export interface Agent extends Place {
  readonly control: ControlClient
  readonly accountOf: (named?: string) => { readonly params: { readonly account: string } }
  /** The same for a call about one record of it. */
  readonly recordOf: (
    named: string | undefined,
    id: string,
  ) => { readonly params: { readonly account: string; readonly id: string } }
  readonly keysOf: (named?: string) => Promise<Keys>
  readonly writeKeys: (named?: string) => Promise<string>
}

/** The account is the one that a tool uses if its caller names none. */
export function agentOf(where: Place, account: string, control: ControlClient, files: KeyFiles): Agent {
  const idOf = (named?: string) => (named === undefined ? account : accountNamed(named))
  const keysOf = async (named?: string): Promise<Keys> => {
    const [pair] = (await control.account(idOf(named)).keys.list()).filter(({ secret_key }) => secret_key)
    if (!pair) throw new UsageError(`all keys of ${idOf(named)} are revoked`)
    return { publicKey: pair.public_key, secretKey: pair.secret_key }
  }
  return {
    ...where,
    control,
    keysOf,
    accountOf: named => ({ params: { account: idOf(named) } }),
    recordOf: (named, id) => ({ params: { account: idOf(named), id } }),
    async writeKeys(named) {
      const { publicKey, secretKey } = await keysOf(named)
      return files.write(idOf(named), {
        PAYSIM_BASE_URL: where.url,
        PAYSIM_PUBLIC_KEY: publicKey,
        PAYSIM_SECRET_KEY: secretKey,
        PAYSIM_CONTROL_URL: where.controlUrl,
        PAYSIM_CONTROL_TOKEN: where.controlToken,
        PAYSIM_ACCOUNT: idOf(named),
      })
    },
  }
}

/** Files of keys, in a folder that only this user can open. */
export class KeyFiles {
  #folder: Promise<string> | undefined

  async write(account: string, variables: Readonly<Record<string, string>>): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'paysim-mcp-'))
    const file = join(await this.#folder, `${account.replaceAll(/[^\w.-]/g, '_')}.env`)
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${shellQuoted(value)}\n`)
    await writeFile(file, lines.join(''), { mode: 0o600 })
    return file
  }

  async remove(): Promise<void> {
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true })
  }
}
