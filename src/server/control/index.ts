import { timingSafeEqual } from 'node:crypto'
import { Routes } from '../http/routes.ts'
import type { Surface } from '../http/surface.ts'
import { refuse } from '../refusal.ts'
import { archiveCalls } from './archive.ts'
import { catalogueCalls } from './catalogue.ts'
import { clockCalls } from './clock.ts'
import { faultCalls } from './faults.ts'
import { journalCalls } from './journal.ts'
import { merchantCalls } from './merchants.ts'
import { paymentCalls } from './payments.ts'
import { payoutCalls } from './payouts.ts'
import { ruleCalls } from './rules.ts'
import { serverCalls } from './server.ts'
import type { ControlSettings } from './settings.ts'
import { webhookCalls } from './webhooks.ts'

export const CONTROL_PREFIX = '/_paysim'

/** Open to anybody who can reach the port: they say nothing but that the server is there. */
const OPEN: readonly (string | undefined)[] = [`${CONTROL_PREFIX}/health`, `${CONTROL_PREFIX}/ready`]

/** The surface that drives the simulator: not a merchant's, and behind its own token. */
export function controlSurface(settings: ControlSettings): Surface {
  const bearer = Buffer.from(`Bearer ${settings.controlToken}`)
  const routes = new Routes(CONTROL_PREFIX)
  const rooms = [
    serverCalls,
    merchantCalls,
    clockCalls,
    catalogueCalls,
    ruleCalls,
    faultCalls,
    paymentCalls,
    payoutCalls,
    webhookCalls,
    journalCalls,
    archiveCalls,
  ]
  for (const room of rooms) room(routes, settings)
  return {
    routes,
    enter({ route, headers }, reply) {
      const given = Buffer.from(headers.authorization ?? '')
      const known = given.length === bearer.length && timingSafeEqual(given, bearer)
      if (known || OPEN.includes(route)) return
      reply.header('www-authenticate', 'Bearer realm="paysim control"')
      throw refuse('unauthorized', 'The control token is missing or not valid')
    },
    // What is shown is on the disk: an entry that may yet be taken back is not shown.
    async prepare({ params }) {
      const { account } = params
      if (account !== undefined) await settings.gateway.tenant(account)?.account.settled()
      return undefined
    },
    missing: () => refuse('not_found', 'No such control call'),
  }
}
