import { beforeAll, describe } from 'vitest'
import { probeCatalogue } from '../gateway/probe-catalogue.ts'
import { type SecondServer, startSecondServer } from '../gateway/second-server.ts'
import type { Server } from '../gateway/server.ts'
import { workerServer } from '../gateway/worker-server.ts'
import { openShop, type Shop } from './shop.ts'
import { openWorkplace, type Workplace } from './workplace.ts'

/** A server for the command line, with a working folder. */
export interface World {
  readonly place: Workplace
  readonly server: Server
  /** The value for `--base-url`. */
  readonly url: string
  readonly createPath: string
  /** The only thing that the command line knows about this server's decisions. */
  readonly flags: readonly string[]
  /** The server in front of the simulator, if there is one. */
  readonly second: SecondServer | undefined
  /** A new merchant with the probe catalogue and a virtual clock. */
  readonly shop: (settings?: Record<string, unknown>) => Promise<Shop>
}

type Decisions = Readonly<Record<string, string | number>>

/** All decisions that could affect the command line are reversed. */
const OTHERWISE: Decisions = {
  'auth.failure_status': 403,
  'create.path': '/checkout/payments',
  'fields.absent': 'omit',
  'methods.payer_keys': 'relevant',
  'methods.banks_empty': 'omit',
  'errors.unknown_method': 'validation_failed',
  'errors.amount_limits': 'payment_configuration_unavailable',
  'errors.idempotency_conflict': 422,
  'payment.after_cancel': 'expired',
  'receipt.file_faults': '413/415',
  'status.receipt': 202,
  'status.payout_cancel': 202,
  'list.last_cursor': 'omit',
}

const SIMULATOR = 'against the simulator'
const FLAT = 'against a server that decided otherwise'
const PROBLEM = 'against one with problem details'

const DECISIONS: Readonly<Record<string, Decisions | undefined>> = {
  [SIMULATOR]: undefined,
  [FLAT]: { ...OTHERWISE, 'errors.body': 'flat' },
  [PROBLEM]: { ...OTHERWISE, 'errors.body': 'problem', 'list.last_cursor': 'empty' },
}

type Tests = (world: () => World, isSimulator: boolean) => void

/** Runs the same tests against each of the two servers. */
export const inEachWorld = (tests: Tests) => inWorlds([SIMULATOR, FLAT], tests)

/** For behaviour that is decided before a server is called. */
export const inTheSimulator = (tests: (world: () => World) => void) => inWorlds([SIMULATOR], tests)

/** Runs the same tests also against a third server, for tests of faults. */
export const inEveryWorld = (tests: (world: () => World) => void) =>
  inWorlds([SIMULATOR, FLAT, PROBLEM], tests)

function inWorlds(names: readonly string[], tests: Tests): void {
  describe.each(names)('%s', name => {
    let open: World | undefined
    beforeAll(async () => {
      const opened = await openWorld(DECISIONS[name])
      open = opened.world
      return opened.close
    })
    tests(() => {
      if (!open) throw new Error('the world is there only inside tests')
      return open
    }, name === SIMULATOR)
  })
}

/** The server belongs to the worker; the folder and the server in front belong to this describe. */
async function openWorld(decisions: Decisions | undefined) {
  const place = await openWorkplace()
  const flags = decisions ? ['--contract', await place.write('contract.json', JSON.stringify(decisions))] : []
  const server = await workerServer(decisions)
  const second = decisions && (await startSecondServer(server.url))
  const where = {
    place,
    server,
    second,
    flags,
    url: second?.url ?? server.url,
    createPath: String(decisions?.['create.path'] ?? '/payment_intents'),
  }
  const world: World = {
    ...where,
    shop: async settings => {
      const merchant = await server.merchant({
        clock: { mode: 'virtual' },
        catalogue: probeCatalogue(),
        ...settings,
      })
      return openShop(where, merchant)
    },
  }
  return { world, close: async () => void (await Promise.all([second?.stop(), place.close()])) }
}
