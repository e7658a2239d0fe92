import { beforeAll } from 'vitest'
import { type Account, accountOf } from './account.ts'
import { probeCatalogue } from './probe-catalogue.ts'
import { removeDirectory, type Server } from './server.ts'
import { startWithContract, workerServer } from './worker-server.ts'

export interface Merchant {
  id: string
  test: Account
  live: Account
}

export interface Gateway {
  readonly server: Server
  /** A new merchant with the probe catalogue and a virtual clock. */
  merchant: (settings?: Record<string, unknown>) => Promise<Merchant>
  /** The test account of such a merchant. */
  account: (settings?: Record<string, unknown>) => Promise<Account>
}

/** The worker's server, or with a contract, one for the tests of a file or of a describe. */
export function useGateway(options: { contract?: Record<string, unknown> } = {}): Gateway {
  let running: Server | undefined
  const { contract } = options
  const server = () => {
    if (running === undefined) throw new Error('the server runs only inside tests')
    return running
  }
  if (contract === undefined)
    beforeAll(async () => {
      running = await workerServer({ args: ['--ephemeral'] })
    })
  else
    beforeAll(async () => {
      const own = await startWithContract(contract, ['--ephemeral'])
      running = own
      return async () => {
        await own.stop()
        await removeDirectory(own.dataDir)
      }
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
