import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Account, accountOf } from './account.ts'
import { probeCatalogue } from './probe-catalogue.ts'
import { removeDirectory, type Server, startServer } from './server.ts'

export interface Merchant {
  id: string
  test: Account
  live: Account
}

export interface Gateway {
  readonly server: Server
  /** A merchant of its own with the probe catalogue and a clock that stands still. */
  merchant: (settings?: Record<string, unknown>) => Promise<Merchant>
  /** The test account of such a merchant. */
  account: (settings?: Record<string, unknown>) => Promise<Account>
}

/** One server for the tests of a file or of a describe: started before them, stopped and swept up after. */
export function useGateway(options: { contract?: Record<string, unknown> } = {}): Gateway {
  let running: Server | undefined
  let contractDirectory: string | undefined
  const server = () => {
    if (running === undefined) throw new Error('the server runs only inside tests')
    return running
  }
  beforeAll(async () => {
    const args = ['--ephemeral']
    if (options.contract) {
      contractDirectory = await mkdtemp(join(tmpdir(), 'paysim-contract-'))
      const file = join(contractDirectory, 'contract.json')
      await writeFile(file, JSON.stringify(options.contract))
      args.push('--contract', file)
    }
    running = await startServer({ args })
  })
  afterAll(async () => {
    await running?.stop()
    if (running) await removeDirectory(running.dataDir)
    if (contractDirectory) await removeDirectory(contractDirectory)
  })
  const merchant: Gateway['merchant'] = async settings => {
    const made = await server().merchant({
      clock: { mode: 'virtual' },
      catalogue: probeCatalogue(),
      ...settings,
    })
    return { id: made.id, test: accountOf(server(), made.test), live: accountOf(server(), made.live) }
  }
  return {
    get server() {
      return server()
    },
    merchant,
    account: async settings => (await merchant(settings)).test,
  }
}
